import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThrowawayServer, type ThrowawayServer } from './throwaway-server.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const agentp = join(repository, 'cli/src/main.ts');

let server: ThrowawayServer;
let folder: string;
beforeAll(async () => {
  server = await startThrowawayServer();
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a block of shell as a reader would, against the server of the test. */
async function runShell(script: string): Promise<string> {
  const here = script
    .replaceAll('npm run -s agentp --', `"${process.execPath}" "${agentp}"`)
    .replaceAll('http://127.0.0.1:8080', server.url);
  const env = { ...inheritedEnvironment(), AGENTP_HOME: join(folder, 'agentp'), AGENTP_BASE_URL: server.url };
  return (await run('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env })).stdout;
}

function linesAfter(block: string | undefined, command: string): string {
  return block?.slice(block.indexOf(command) + command.length + 1) ?? '';
}

/** The same text whatever ids, keys and times it shows. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)')
    .replaceAll(/[\w+/]{43}=/g, '(key)')
    .replaceAll(/([0-9a-f]{4} ){7}[0-9a-f]{4}/g, '(fingerprint)')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '(time)');
}

async function blocksOf(file: string, language: string): Promise<string[]> {
  const text = await readFile(join(repository, file), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
}

async function documents(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: repository,
  });
  return stdout.trim().split('\n');
}

describe('the README', () => {
  it('has a first session that works as written', async () => {
    const [first, second] = await blocksOf('README.md', 'console');
    const commands = `${first}${second}`.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
    const [register = '', again = '', update = '', doctor = ''] = commands;

    expect(commands).toHaveLength(4);
    const registered = (await runShell(`${register} --text`)).replaceAll(server.url, 'http://127.0.0.1:8080');
    expect(withoutValues(registered)).toBe(withoutValues(linesAfter(first, register)));
    expect(JSON.parse(await runShell(`${again} || true`))).toMatchObject({
      ok: false,
      error: { code: 'handle_unavailable' },
    });
    expect(JSON.parse(await runShell(update))).toMatchObject({
      data: { bio: 'I read the small print.', profile_public: true },
    });
    expect(JSON.parse(await runShell(doctor))).toMatchObject({ ok: true });
  });

  it('reads the own profile with curl and the token of agentp', async () => {
    const curl = (await blocksOf('README.md', 'sh')).find((block) => block.includes('curl')) ?? '';

    expect(JSON.parse(await runShell(curl))).toMatchObject({ bot: { handle: 'alice' } });
  });

  it('has a program that runs', async () => {
    const [program = ''] = await blocksOf('README.md', 'ts');
    // Beside the examples, so that it finds the SDK as an installed package.
    const file = join(repository, 'examples', `readme-${process.pid}.ts`);
    try {
      await writeFile(file, program.replaceAll('http://127.0.0.1:8080', server.url));
      expect((await run(process.execPath, [file], { cwd: folder })).stdout).toBe('bob maps\n');
    } finally {
      await rm(file, { force: true });
    }
  });

  it('names commands that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { scripts: object };
    const readme = await readFile(join(repository, 'README.md'), 'utf8');
    const named = [...readme.matchAll(/npm (?:run (?:-s )?([a-z-]+)|(start|test))\b/g)].map(
      ([, run, own]) => run ?? own,
    );

    expect(new Set(named).size).toBeGreaterThanOrEqual(7);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
  });
});

describe('every document', () => {
  it('links to files that exist', async () => {
    const broken: string[] = [];
    for (const document of await documents()) {
      const text = await readFile(join(repository, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)) {
        if (!existsSync(join(repository, dirname(document), target))) broken.push(`${document} -> ${target}`);
      }
    }

    expect(broken).toEqual([]);
  });
});
