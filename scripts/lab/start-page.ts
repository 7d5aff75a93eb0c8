import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programEnvironment, root } from '../published-packages.ts';
import { installNode } from './install-node.ts';

const run = promisify(execFile);

// `npm run lab -- start-page [versions …]`: follows docs/start.md like a newcomer in a fresh clone, with Node.js 18 to
// 26 or the given versions. The server uses port 8080, as on the page.

const versions = process.argv.slice(2);
for (const version of versions.length === 0 ? ['18', '20', '22', '24', '26'] : versions) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-start-'));
  const startedAt = Date.now();
  const fault = await follow(folder, version).catch(String);
  if (fault !== undefined) process.exitCode = 1;
  console.log(`Node.js ${version}: ${fault ?? 'every line works'} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the lines of the page. Returns the first difference between the output and the page, or undefined. */
async function follow(folder: string, version: string): Promise<string | undefined> {
  const stranger = createServer().listen(8080, '127.0.0.1');
  await once(stranger, 'listening');
  stranger.close();
  const tools = [dirname(await installNode(folder, version)), join(folder, 'node_modules/.bin')];
  const paths = (programEnvironment['PATH'] ?? '').split(':').filter((path) => !path.includes('/.runtime/'));
  const env = { ...programEnvironment, PATH: [...tools, ...paths].join(':'), HOME: folder };
  const clone = join(folder, 'clone');
  await run('git', ['clone', '--quiet', root, clone]);

  const page = readFileSync(join(root, 'docs/start.md'), 'utf8');
  const [start, ...blocks] = [...page.matchAll(/^```(sh|console|ts)\n(.*?)^```$/gms)];
  const server = spawn('sh', ['-c', start?.[2] ?? ''], { cwd: clone, env, detached: true });
  try {
    const isReady = await Promise.race([
      untilPrinted(server.stdout, 'http://127.0.0.1:8080'),
      once(server, 'exit').then(() => false),
    ]);
    if (!isReady) return `${start?.[2]?.trim()} ended`;
    let printed = '';
    for (const [, language, code = ''] of blocks) {
      if (language === 'ts') {
        writeFileSync(join(clone, 'examples/carol.ts'), code);
        continue;
      }
      const lines = language === 'sh' ? code : [...code.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line).join('\n');
      printed = (await run('bash', ['-ec', lines], { cwd: clone, env })).stdout;
    }
    return printed === 'carol charts\n' ? undefined : `the program prints ${JSON.stringify(printed)}`;
  } finally {
    const ended = once(server, 'close');
    // The negative id signals the process group: the shell, npm and the server.
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    await ended;
  }
}

async function untilPrinted(stream: NodeJS.ReadableStream, text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let printed = '';
  stream.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.includes(text)) resolve(true);
  });
  return await promise;
}
