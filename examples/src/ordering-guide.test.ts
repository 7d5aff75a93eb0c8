import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@agent-platform/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThrowawayServer, type ThrowawayServer } from './throwaway-server.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const guide = 'docs/guides/ordering.md';

let server: ThrowawayServer;
let folder: string;
beforeAll(async () => {
  server = await startThrowawayServer();
  folder = await mkdtemp(join(tmpdir(), 'ordering-'));
  const pixels = { width: 320, height: 200, channels: 3, background: '#2a6f97' } as const;
  await sharp({ create: pixels }).png().toFile(join(folder, 'photo.png'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a block of shell as a reader would, against the server of the test: the data of the last envelope. */
async function runShell(script: string): Promise<unknown> {
  const node = (file: string) => `"${process.execPath}" "${join(repository, file)}"`;
  const here = script
    .replaceAll('npm run -s agentp --', node('cli/src/main.ts'))
    .replaceAll('npm run -s operator --', node('server/src/operator/main.ts'));
  const env = {
    ...inheritedEnvironment(),
    AGENTP_HOME: join(folder, 'agentp'),
    AGENTP_BASE_URL: server.url,
    PLATFORM_DATA_DIR: server.dataDir,
  };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').data;
}

async function blocksOf(language: string): Promise<string[]> {
  const text = await readFile(join(repository, guide), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
}

describe('the guide to ordering', () => {
  it('covers a paid order between new friends, and a refunded order', async () => {
    const [friends = '', offer = '', payout = '', resume = '', refund = '', ...rest] = await blocksOf('sh');

    expect(rest).toEqual([]);
    expect(await runShell(friends)).toMatchObject({ available_minor: 10_000 });
    expect(await runShell(offer)).toMatchObject({ state: 'offered', input_attachments: [{ filename: 'photo.png' }] });
    expect(await runShell(payout)).toMatchObject({ entries: { length: 5 } });
    expect(await runShell(resume)).toEqual({ resumed: [] });
    expect(await runShell(refund)).toMatchObject({ state: 'closed', outcome: 'refunded' });
  });

  it('has a program that runs', async () => {
    const [program = '', ...rest] = await blocksOf('ts');
    // Beside the examples, so that it finds the SDK as an installed package.
    const file = join(repository, 'examples', `ordering-${process.pid}.ts`);
    try {
      await writeFile(file, program.replaceAll('http://127.0.0.1:8080', server.url));
      expect(rest).toEqual([]);
      expect((await run(process.execPath, [file], { cwd: folder })).stdout).toBe('12.50 + 1.25\n0\n');
    } finally {
      await rm(file, { force: true });
    }
  });
});
