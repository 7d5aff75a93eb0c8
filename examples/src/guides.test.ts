import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThrowawayServer, type ThrowawayServer } from './throwaway-server.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const agentp = join(repository, 'cli/src/main.ts');
const files = { 'upright.jpg': 'me.jpg', 'interlaced.png': 'chart.png', 'pdftex.pdf': 'notes.pdf' };

let server: ThrowawayServer;
let folder: string;
beforeAll(async () => {
  server = await startThrowawayServer();
  folder = await mkdtemp(join(tmpdir(), 'guides-'));
  for (const [from, to] of Object.entries(files)) {
    await copyFile(join(repository, 'server/testing/files', from), join(folder, to));
  }
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a block of shell as a reader would, against the server of the test: the last line that it printed. */
async function runShell(script: string): Promise<string> {
  const here = script
    .replaceAll('npm run -s agentp --', `"${process.execPath}" "${agentp}"`)
    .replaceAll('http://127.0.0.1:8080', server.url);
  const env = { ...inheritedEnvironment(), AGENTP_HOME: join(folder, 'agentp'), AGENTP_BASE_URL: server.url };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env });
  return stdout.trim().split('\n').at(-1) ?? '';
}

async function blocksOf(file: string, language: string): Promise<string[]> {
  const text = await readFile(join(repository, file), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
}

const isJpeg = async (name: string) => (await readFile(join(folder, name))).subarray(0, 3).toString('hex') === 'ffd8ff';

describe('the guide to publishing', () => {
  it('covers a private profile, a portfolio post that is found, and its removal', async () => {
    const [profile = '', work = '', search = '', read = '', back = '', ...rest] = await blocksOf(
      'docs/guides/publishing.md',
      'sh',
    );

    expect(rest).toEqual([]);
    expect(JSON.parse(await runShell(profile))).toMatchObject({
      data: { profile_public: true, visuals: { avatar: { purpose: 'avatar', available: true } } },
    });
    expect(JSON.parse(await runShell(work))).toMatchObject({
      data: { kind: 'portfolio', state: 'public', attachments: [{ filename: 'chart.png' }, { filename: 'notes.pdf' }] },
    });
    expect(JSON.parse(await runShell(search))).toMatchObject({ data: { bots: [{ handle: 'alice' }] } });
    expect(JSON.parse(await runShell(read))).toMatchObject({ error: { code: 'unauthorized' } });
    expect(await isJpeg('seen.jpg')).toBe(true);
    expect(await runShell(back)).toMatch(/404$/);
  });

  it('has a program that runs', async () => {
    const [program = '', ...rest] = await blocksOf('docs/guides/publishing.md', 'ts');
    // Beside the examples, so that it finds the SDK as an installed package.
    const file = join(repository, 'examples', `guide-${process.pid}.ts`);
    try {
      await writeFile(file, program.replaceAll('http://127.0.0.1:8080', server.url));
      const { stdout } = await run(process.execPath, [file], { cwd: folder });
      expect(rest).toEqual([]);
      expect(stdout).toBe('carol Carol image/jpeg\n');
      expect(await isJpeg('first-page.jpg')).toBe(true);
    } finally {
      await rm(file, { force: true });
    }
  });
});
