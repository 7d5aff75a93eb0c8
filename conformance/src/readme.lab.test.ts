import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { expect, it, onTestFinished } from 'vitest';
import { allChecks } from './areas/all-checks.ts';
import type { Prerequisite } from './context/check.ts';
import { splitCommand } from './context/hooks/command-line.ts';
import { deferredCases } from './context/pool/registration-bodies.ts';
import { runCommand } from './run-command.ts';
import { suiteHelpText } from './usage.ts';
import { readRequirements } from './verdict/requirements.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const operator = fileURLToPath(new URL('../../server/src/operator/main.ts', import.meta.url));

/** The commands in the first example of the README that contains this text. */
function exampleWith(text: string): readonly string[] {
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const block = blocks.find((one) => one.includes(text)) ?? '';
  return block
    .replaceAll(/ \\\n\s*/g, ' ')
    .trim()
    .split('\n');
}

it('runs as described in the README against a server with a test clock', async () => {
  const [start = '', run = ''] = exampleWith('--clock-command');
  const [setting = '', ...started] = start.split(' ');
  expect([setting, ...started]).toEqual(['PLATFORM_CLOCK=test', 'npm', 'start']);
  const folder = mkdtempSync(join(tmpdir(), 'conformance-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyEmptyDatabase(folder);
  const server = await startServerProcess({ PLATFORM_CLOCK: 'test', PLATFORM_DATA_DIR: folder });
  try {
    const here = run
      .replaceAll('127.0.0.1:8080', new URL(server.url).host)
      // Runs the program directly instead of with npm, in this test's folder.
      .replaceAll('npm run -s operator --', `env "PLATFORM_DATA_DIR=${folder}" "${process.execPath}" "${operator}"`);
    const [npm, , script, , ...args] = splitCommand(here) ?? [];
    expect([npm, script]).toEqual(['npm', 'conformance']);
    let out = '';
    const output = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
    const exitCode = await runCommand(
      [...args, '--agents', join(folder, 'pool.json'), '--only', 'AP-ORDER-079'],
      output,
    );

    expect(out).toContain('1 passed, 0 failed, 0 error, 0 not tested');
    expect(exitCode).toBe(0);
  } finally {
    await server.end('SIGTERM');
  }
});

it('states the same numbers as the help and the suite', () => {
  const rows = readRequirements().filter(({ standing }) => standing === 'tested');
  const checksOf = (id: string) => allChecks.filter(({ covers }) => covers.includes(id));
  const countOf = (need: Prerequisite) =>
    rows.filter(({ id }) => checksOf(id).every(({ needs }) => needs?.includes(need))).length;
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ');

  expect([countOf('clock'), countOf('suspension'), deferredCases.length]).toEqual([10, 5, 20]);
  expect(plain(readme)).toContain('Ten requirements about expiry and retention need the clock hook, and five about');
  expect(readme).toContain('Twenty invalid registrations');
  for (const number of ['ten', 'five']) expect(plain(suiteHelpText)).toContain(`without it ${number} requirements`);
});
