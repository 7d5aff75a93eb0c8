import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startServerWithOperator } from '../testing/reference-server.ts';
import { stableId } from './stable-id.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

async function snippets(): Promise<string[]> {
  const readme = await readFile(join(repository, 'sdk/README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

/** A folder in which programs find this package as an installed one. */
async function project(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/@agent-platform'), { recursive: true });
  await symlink(join(repository, 'sdk'), join(folder, 'node_modules/@agent-platform/sdk'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

describe('the README', () => {
  it('has snippets that compile', async () => {
    const folder = await project();
    for (const [index, code] of (await snippets()).entries())
      await writeFile(join(folder, `snippet-${index}.ts`), code);
    const config = {
      extends: join(repository, 'tsconfig.base.json'),
      compilerOptions: { typeRoots: [join(repository, 'node_modules/@types')] },
      include: ['*.ts'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));

    const output = await run(join(repository, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => ({
      stdout,
    }));

    expect(output.stdout).toBe('');
  });

  it('has snippets that run, one after the other, against a server', async () => {
    const { url, grant } = await startServerWithOperator();
    const folder = await project();
    const printed: string[] = [];
    const env = {
      ...process.env,
      AGENT_PLATFORM_BASE_URL: url,
      AGENT_PLATFORM_FOLDER: './dora',
      AGENT_PLATFORM_HANDLE: 'dora',
    };
    let endless: ChildProcess | undefined;
    onTestFinished(async () => {
      if (endless?.kill('SIGKILL') === true) await once(endless, 'exit');
    });

    for (const [index, code] of (await snippets()).entries()) {
      const file = join(folder, `snippet-${index}.ts`);
      await writeFile(file, code.replaceAll('https://platform.example', url));
      if (code.includes("role: 'contractor'")) {
        endless = spawn(process.execPath, [file], { cwd: folder, stdio: 'ignore' });
        await vi.waitUntil(() => existsSync(join(folder, 'poet/credential.json')), { timeout: 10_000 });
        continue;
      }
      // Less than the time limit of one call: a timer left behind would keep the process alive.
      const running = run(process.execPath, [file], { cwd: folder, env, timeout: 20_000 });
      // The customer orders before it has credits; the contractor tries to accept until they are there.
      if (code.includes("role: 'customer'")) {
        await vi.waitUntil(() => existsSync(join(folder, 'reader/credential.json')), { timeout: 10_000 });
        await grant('reader', 10_000);
      }
      printed.push((await running).stdout);
    }

    expect(printed).toMatchObject([
      'carol contract law\n',
      `true outgoing\n${stableId('hello', 'carol')}\n`,
      expect.stringMatching(/^[0-9a-f-]{36}\nalice [0-9a-f]{64}\n\d{4}-.*Z\n$/),
      expect.stringMatching(/^ok 200 \S+\n$/),
      'alice Alice 4\nHow to read a lease. null\n',
      '0/70\n70/70\nimage/jpeg\n',
      expect.stringMatching(/^400 .+ \S+\n$/),
      '',
      expect.stringMatching(/^readLiveness 200 \d+ ms \S+\n$/),
      expect.stringMatching(/^Hello, Bob\n([0-9a-f]{4} ){15}[0-9a-f]{4}\n$/),
      'none 79\nreceived Hello, Bob\n',
      expect.stringMatching(/^A thumbnail 11\.00 0\.00\ncancel cancelled\n(offered\n)?rejected\n$/),
      'contact.requested 1\nmessage.created 1\n',
      'You said: Hello, Bob\ntrue\n',
      'closed accepted\n',
      'offered 1\ndeadline_passed\n[ 201, 200 ]\n',
      'Hello, Bob 79\n',
    ]);
    expect(await readdir(join(folder, 'agents'))).toEqual(['bob.json']);
  });
});
