import { startTerminalProgram } from '@agent-platform/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../testing/agentp.ts';
import { mainFile, startChild } from '../testing/child.ts';
import { makeFriends } from '../testing/friends.ts';
import { proposeAct } from '../testing/propose-act.ts';

// `npm run lab -- terminal` runs these tests with other versions of Node.js, too.
const agentp = `'${process.env['AGENTP_NODE'] ?? process.execPath}' '${mainFile}'`;
const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob_1'];
const terms = ['--title', 'Tea', '--amount', '5', '--deadline', '1d'];

let server: ReferenceServer;
let machine: Machine;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  env = { AGENTP_HOME: machine.home, AGENTP_BASE_URL: server.url };
  await makeFriends(machine, server);
});
afterAll(() => server.stop());

async function answer(command: string, typed: string, question = 'Type yes to confirm: ') {
  const terminal = startTerminalProgram(`${agentp} ${command}`, env);
  await expect.poll(() => terminal.screen()).toContain(question);
  terminal.type(typed);
  return { exitCode: await terminal.end(), screen: terminal.screen() };
}

const read = async (...words: string[]) => JSON.stringify(await machine.data(words));
const order = async (...words: string[]) => String((await machine.data(['orders', ...words]))['id']);
const offerOfBob = () => order('create', '--customer', 'alice', ...terms, ...asBob);

async function deliveredOrder(): Promise<string> {
  const id = await order('create', '--contractor', 'bob_1', '--confirm-total', '5.50', ...terms, ...asAlice);
  for (const words of [
    ['accept', id],
    ['start', id],
    ['deliver', id, 'Tea'],
  ])
    await order(...words, ...asBob);
  return id;
}

it.each([
  ['y\r', 0],
  ['yes\r', 0],
  ['n\r', 2],
  ['\r', 2],
  ['\u0003', 130],
  ['\u0004', 2],
])('ends after the answer %j with %d', async (typed, expected) => {
  const { id } = await machine.data(['posts', 'create', `answered ${JSON.stringify(typed)}`, ...asAlice]);

  const { exitCode, screen } = await answer(`posts delete ${id} --profile alice`, typed);

  expect([exitCode, screen]).toEqual([expected, expect.stringContaining(expected === 130 ? 'Nothing was sent' : '')]);
  expect((await read('posts', 'list', ...asAlice)).includes(String(id))).toBe(expected !== 0);
});

it.each<[string, () => Promise<string> | string]>([
  ['orders create', () => `--contractor bob_1 --title Tea --amount 5 --deadline 1d --profile alice`],
  ['orders accept', async () => `${await offerOfBob()} --profile alice`],
  ['orders complete', async () => `${await deliveredOrder()} --profile alice`],
])('%s ends after a confirmation and after a refusal', async (command, words) => {
  const line = `${command} ${await words()}`;

  expect(await answer(line, 'n\r')).toMatchObject({ exitCode: 2 });
  expect(await answer(line, 'y\r')).toMatchObject({ exitCode: 0 });
});

it('an act is approved only after its exact text, hidden characters included, is shown and confirmed', async () => {
  const id = await proposeAct(machine.home, 'alice', 'Block \u202ebob.\u001b[2J');
  const state = async () => (await machine.data(['approvals', 'show', id, ...asAlice]))['state'];
  const line = `approvals approve ${id} --profile alice`;

  const refused = await answer(line, 'n\r');
  expect(refused).toMatchObject({ exitCode: 2, screen: expect.stringContaining('agentp approvals refuse') });
  expect(await state()).toBe('waiting');
  const { exitCode, screen } = await answer(line, 'y\r');

  expect([exitCode, await state()]).toEqual([0, 'approved']);
  expect(screen).toContain('Block <U+202E>bob.<U+001B>[2J');
  expect(screen).toContain('"agent": "bob Block <U+202E>bob.');
  expect(screen).toContain(`alice (`);
});

it('a passphrase is not shown, and the command ends', async () => {
  // Registers a new agent, because this process keeps the states of earlier agents open.
  const handle = await machine.register();
  const file = `${machine.home}/agent.sealed`;
  const terminal = startTerminalProgram(`${agentp} profiles export '${file}' --keep --profile ${handle}`, env);
  await expect.poll(() => terminal.screen()).toContain('Passphrase');
  terminal.type('a long secret text\r');
  await expect.poll(() => terminal.screen()).toContain('Repeat the passphrase: ');
  terminal.type('a long secret text\r');

  expect([await terminal.end(), terminal.screen()]).toEqual([0, expect.not.stringContaining('secret')]);
});

it('a chat sends typed lines, and Ctrl-D ends it', async () => {
  const terminal = startTerminalProgram(`${agentp} chat bob_1 --profile alice`, env);
  await expect.poll(() => terminal.screen()).toContain('> ');
  terminal.type('typed in a chat\r');
  await expect.poll(() => read('messages', 'list', 'alice', ...asBob)).toContain('typed in a chat');
  terminal.type('\u0004');

  expect(await terminal.end()).toBe(0);
});

it('a chat shows a received message above a typed line that fills several rows, and Ctrl-C interrupts it', async () => {
  const terminal = startTerminalProgram(`stty cols 60; ${agentp} chat bob_1 --profile alice`, env);
  await expect.poll(() => terminal.screen()).toContain('> ');
  terminal.type('y'.repeat(100));
  await expect.poll(() => terminal.screen()).toMatch(/y{40}$/);
  terminal.type('\u007f');
  await expect.poll(() => terminal.screen()).toMatch(/y{99}\P{L}*$/u);
  await machine.data(['messages', 'send', 'alice', 'while typing', ...asBob]);
  await expect.poll(() => terminal.screen()).toMatch(/while typing.*y{99}/s);

  // No move up after the message, which would erase it.
  expect(terminal.screen().split('while typing')[1]).not.toContain('\u001b[1A');
  terminal.type('\u0003');
  expect(await terminal.end()).toBe(130);
});

/** Starts a shell that prints one line of a stream, and then the exit code of `agentp`. */
function head(command: string) {
  const line = `${agentp} ${command} | head -1; echo "ended \${PIPESTATUS[0]}"`;
  return startChild(['--norc', '-c', line], { env, program: 'bash', stdin: '' });
}

it('a stream without a reader ends at its next item, which stays waiting', async () => {
  const stream = head('events listen --profile bob_1');
  // Waits until the stream has printed the events that already exist.
  await expect.poll(() => stream.written.stdout).toContain('"kind":"contact.');
  await machine.data(['messages', 'send', 'bob_1', 'unread', ...asAlice]);

  expect(await stream.ended).toBe(0);
  expect(stream.written.stdout).toContain('\nended 0\n');
  expect(await read('events', 'list', ...asBob)).toContain('message.created');
});

it('a watch without a reader ends at its next item', async () => {
  const id = await offerOfBob();
  const stream = head(`orders watch ${id} --profile bob_1`);
  await expect.poll(() => stream.written.stdout).toContain(id);
  await order('reject', id, ...asAlice);

  expect(await stream.ended).toBe(0);
  expect(stream.written.stdout).toContain('\nended 0\n');
});

it.skipIf(process.platform !== 'linux')(
  'output that cannot be written is an error, which says that the command may have taken effect',
  async () => {
    const full = async (words: string) => {
      const child = startChild(['--norc', '-c', `${agentp} ${words} > /dev/full`], { env, program: 'bash', stdin: '' });
      return { exitCode: await child.ended, stderr: child.written.stderr };
    };

    const lost = await full(`posts create 'lost output' --profile alice`);
    expect(lost.exitCode).toBe(1);
    expect(lost.stderr).toMatch(/could not be written: ENOSPC.*The command may have taken effect.*\(file_error\)\n/);
    expect(await read('posts', 'list', ...asAlice)).toContain('lost output');

    expect((await full('whoami --profile alice')).stderr).toMatch(/could not be written: ENOSPC/);
    expect((await full('whoami --profile nobody')).stderr).toMatch(/\(no_credential\)\n/);
    expect(await full('--help')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/ENOSPC.*\(file_error\)\n$/),
    });
  },
);
