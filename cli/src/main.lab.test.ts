import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTerminalProgram } from '@agent-platform/testing';
import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { testPassport } from '../../sdk/testing/records.ts';
import { type Machine, setUpMachine, startReferenceServer } from '../testing/agentp.ts';
import { mainFile, startChild } from '../testing/child.ts';
import { startFaultyServer } from '../testing/stub-server.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  machine = setUpMachine(server.url);
  env = { AGENTP_HOME: machine.home, AGENTP_BASE_URL: server.url };
});

async function run(words: readonly string[], stdin = '') {
  const child = startChild(words, { env, stdin });
  return { exitCode: await child.ended, ...child.written };
}

/** Runs a shell command line on a pseudo terminal, where stdout and stderr are combined. */
async function runOnTerminal(line: string) {
  const terminal = startTerminalProgram(line, env);
  return { exitCode: await terminal.end(), screen: terminal.screen() };
}

const agentp = `'${process.execPath}' '${mainFile}'`;

it('writes one envelope into a pipe and ends with the exit code of the outcome', async () => {
  const registered = await run(
    ['register', '--handle', 'pipe', '--display-name', 'P', '--bio-file', '-'],
    'From a pipe.\n',
  );
  expect(registered).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(registered.stdout)).toMatchObject({ ok: true, data: { bot: { bio: 'From a pipe.' } } });

  const copy = await run(['register', '--handle', 'pipe', '--display-name', 'P']);
  expect(copy).toMatchObject({ exitCode: 5, stderr: '' });
  expect(JSON.parse(copy.stdout)).toMatchObject({ ok: false, error: { code: 'handle_unavailable' } });
});

it('prints coloured text on a terminal', async () => {
  const { exitCode, screen } = await runOnTerminal(`${agentp} register --handle screen --display-name 'On a screen'`);

  expect(exitCode).toBe(0);
  expect(screen).toContain('\u001b[1mscreen is registered\u001b[22m\n');
  expect(screen).not.toContain('{"ok"');
});

it('respects NO_COLOR and --no-color', async () => {
  for (const line of [`NO_COLOR=1 ${agentp} profiles list`, `${agentp} profiles list --no-color`]) {
    const { screen } = await runOnTerminal(line);
    expect(screen).toBe('No profile yet. Register an agent: agentp register --help\n');
  }
});

it('asks before a revocation, which Ctrl-C cancels with exit code 130 and the handle confirms', async () => {
  await machine.data(['register', '--handle', 'asked', '--display-name', 'A']);
  const line = `${agentp} tokens revoke`;
  const child = startTerminalProgram(line, env);
  await expect.poll(() => child.screen()).toContain('Type the handle to continue:');

  child.type('\u0003');

  expect(await child.end()).toBe(130);
  expect(await machine.data(['whoami', '--check'])).toMatchObject({ is_accepted: true });

  const again = startTerminalProgram(line, env);
  await expect.poll(() => again.screen()).toContain('Type the handle to continue:');
  again.type('asked\n');
  expect(await again.end()).toBe(0);
  expect(await machine.data(['whoami'])).toMatchObject({ has_token: false });
});

it.skipIf(process.platform !== 'linux')('fails in a home folder that cannot contain folders', async () => {
  const child = startChild(['register', '--handle', 'homeless', '--display-name', 'H', '--json'], {
    env: { HOME: '/proc', AGENTP_BASE_URL: server.url },
    stdin: '',
  });

  expect(await child.ended).toBe(1);
  expect(JSON.parse(child.written.stdout).error).toMatchObject({ code: 'store_unwritable' });
});

it('several processes that rotate one token concurrently all succeed with the same token', async () => {
  await machine.data(['register', '--handle', 'rotated', '--display-name', 'R']);

  const rotations = await Promise.all([1, 2, 3, 4].map(() => run(['tokens', 'rotate'])));

  expect(rotations.map(({ exitCode, stdout }) => [exitCode, JSON.parse(stdout).error])).toEqual(
    rotations.map(() => [0, undefined]),
  );
  expect(await machine.data(['whoami', '--check'])).toMatchObject({ is_accepted: true });
});

it('ends without an error when the reader closes the pipe', async () => {
  const line = `${agentp} --help | true; echo "$\{PIPESTATUS[0]}"`;
  const child = startChild(['--norc', '-c', line], { env, program: 'bash', stdin: '' });

  expect(await child.ended).toBe(0);
  expect(child.written).toEqual({ stdout: '0\n', stderr: '' });
});

it('ends as soon as the work is done', async () => {
  await machine.data(['register', '--handle', 'quick', '--display-name', 'Q']);
  const quietMs = startLoadAdjustedTimer();

  await run(['me', 'show']);

  // A keep-alive connection would keep the process running for seconds.
  expect(quietMs()).toBeLessThan(4_000);
});

it('prints a completion script unchanged into a pipe', async () => {
  expect((await run(['completion', 'bash'])).stdout).toMatch(/^# bash completion/);
});

const slowWords = ['register', '--handle', 'slow', '--display-name', 'Slow'];

/** Starts a registration and waits for its request; the server sends the response when the test calls `answer`. */
async function startSlowCommand(words = slowWords) {
  let answer = (): void => undefined;
  const server = await startFaultyServer((response) => {
    answer = () => {
      const token_expires_at = new Date(Date.now() + 86_400_000).toISOString();
      const bot = { ...testPassport, handle: 'slow' };
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ bot, token: `apt_${'t'.repeat(43)}`, token_expires_at }));
    };
  });
  onTestFinished(() => server.close());
  const child = startChild(words, { env: { ...env, AGENTP_BASE_URL: server.url }, stdin: '' });
  await vi.waitUntil(() => server.requests.length === 1, { timeout: 120_000 });
  return { child, answer: () => answer() };
}

it('stores the token of a registration that is interrupted while waiting', async () => {
  const { child, answer } = await startSlowCommand();

  child.kill('SIGINT');
  await vi.waitUntil(() => child.written.stderr.includes('interrupt again'), { timeout: 120_000 });
  answer();

  expect(await child.ended).toBe(0);
  expect(await machine.data(['whoami'], { env: { AGENTP_BASE_URL: '' } })).toMatchObject({
    handle: 'slow',
    has_token: true,
  });
});

it('counts the two signals of one Ctrl+C under npm as one', async () => {
  const { child, answer } = await startSlowCommand();

  // Sends two different signals, because a second one of the same kind could be lost while the first is pending.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await vi.waitUntil(() => child.written.stderr.includes('interrupt again'), { timeout: 120_000 });
  answer();

  expect(await child.ended).toBe(0);
});

it('ends at a second interruption, and keeps the request', async () => {
  const { child } = await startSlowCommand();

  child.kill('SIGINT');
  await vi.waitUntil(() => child.written.stderr.includes('interrupt again'), { timeout: 120_000 });
  const insisting = setInterval(() => child.kill('SIGINT'), 100);

  expect(await child.ended).toBe(130);
  clearInterval(insisting);
  expect(await readdir(join(machine.home, 'pending'))).toHaveLength(1);
});

it('ends a command without changes at the first interruption', async () => {
  const { child } = await startSlowCommand(['doctor']);

  child.kill('SIGINT');

  expect(await child.ended).toBe(130);
  expect(JSON.parse(child.written.stdout)).toMatchObject({ ok: false, error: { code: 'interrupted' } });
});

it.each([1, 2, 3])('loses no stored token when it is killed right after the token is stored (try %i)', async () => {
  const { child, answer } = await startSlowCommand();
  answer();

  // At this moment the credential is on disk, but everything else may be missing.
  await vi.waitUntil(async () => (await findTokens()).length > 0, { timeout: 120_000, interval: 1 });
  child.kill('SIGKILL');
  await child.ended;

  expect(await machine.data(['whoami'], { env: { AGENTP_BASE_URL: '' } })).toMatchObject({
    handle: 'slow',
    has_token: true,
  });
});

async function findTokens(): Promise<string[]> {
  const files = (await readdir(machine.home, { recursive: true })).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(machine.home, file), 'utf8').catch(() => '')));
  return texts.filter((text) => text.includes('apt_t'));
}
