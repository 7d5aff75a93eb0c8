import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentPlatform, fileCredentials } from '@agent-platform/sdk';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { startChild } from '../../../testing/child.ts';
import { makeFriends } from '../../../testing/friends.ts';

let server: ReferenceServer;
let machine: Machine;
const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob'];
const wait = { timeout: 120_000, interval: 50 };

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await makeFriends(machine, server, ['alice', 'bob']);
});
afterAll(() => server.stop());

async function listEvents(status: string): Promise<readonly { event: { event_id: string; kind: string } }[]> {
  const { events } = await machine.data(['events', 'list', '--status', status, ...asBob]);
  return Array.isArray(events) ? events : [];
}

it('passes each event of a kind to the command until it exits with 0, and keeps other kinds', async () => {
  await machine.data(['messages', 'send', 'bob', 'For the command', ...asAlice]);
  const given = join(machine.home, 'given');
  const script = `echo "$AGENTP_EVENT_KIND $AGENTP_ATTEMPT $AGENTP_PROFILE" >&2; cat >> '${given}'; test $AGENTP_ATTEMPT = 2`;
  const ending = new AbortController();
  const words = ['events', 'listen', '--kind', 'message.created', '--open', '--exec', script, ...asBob];
  const running = machine.run(words, { env: { PATH: process.env['PATH'] ?? '' }, signal: ending.signal });
  await vi.waitUntil(async () => (await listEvents('finished')).length > 0, wait);
  ending.abort(new Error('enough'));

  const { stdout, stderr } = await running;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, 2)).toMatchObject([
    { kind: 'message.created', attempt: 1, status: 'waiting', exit_code: 1, next_attempt_seconds: 1 },
    { kind: 'message.created', attempt: 2, status: 'finished', exit_code: 0, next_attempt_seconds: null },
  ]);
  expect(stderr).toContain('message.created 1 bob\nmessage.created 2 bob\n');
  const [event = ''] = (await readFile(given, 'utf8')).split('\n');
  expect(JSON.parse(event)).toMatchObject({ kind: 'message.created', opened: { text: 'For the command' } });
  expect((await listEvents('waiting')).map(({ event }) => event.kind)).toEqual(['contact.requested']);
});

it('parks a message that cannot be opened after its first attempt, and passes the next event to the command', async () => {
  const spoil = (body: string) => body.replace(/"ciphertext":"..../, '"ciphertext":"AAAA');
  const alice = new AgentPlatform({
    baseUrl: server.url,
    credentials: fileCredentials(join(machine.home, 'profiles', 'alice.json')),
    fetch: (url, init) => fetch(url, { ...init, body: typeof init.body === 'string' ? spoil(init.body) : null }),
  });
  for (const text of ['1', '2', '3']) await alice.messages.send('bob', text).catch(() => undefined);
  await machine.data(['messages', 'send', 'bob', 'After these', ...asAlice]);
  const ending = new AbortController();
  const words = ['events', 'listen', '--kind', 'message.created', '--open', '--exec', 'grep -q After', ...asBob];
  const running = machine.run(words, { env: { PATH: process.env['PATH'] ?? '' }, signal: ending.signal });
  await vi.waitUntil(async () => (await listEvents('failed')).length === 3, wait);
  await vi.waitUntil(async () => (await listEvents('finished')).length === 2, wait);
  ending.abort(new Error('enough'));

  const { stdout } = await running;
  expect(stdout.match(/"attempt":1,"status":"(failed|finished)"/g)).toHaveLength(4);
});

it('loses no event when it is killed, and lets the command finish when it is stopped', async () => {
  const env = { AGENTP_HOME: machine.home, AGENTP_BASE_URL: server.url, PATH: process.env['PATH'] ?? '' };
  // Only the killed process has a short lease, because a busy machine may renew a lease of one second too late.
  const start = (lease: string, script: string) =>
    startChild(['events', 'listen', '--lease', lease, '--exec', script, ...asBob], { env, stdin: '' });
  const killed = start('1s', 'echo "pid $$"; exec sleep 60');
  await vi.waitUntil(() => /pid \d+\n/.test(killed.written.stderr), wait);
  killed.kill('SIGKILL');
  await killed.ended;
  process.kill(Number(/pid (\d+)/.exec(killed.written.stderr)?.[1]));

  const stopped = start('30s', `trap 'echo stopped; exit 0' TERM; echo "attempt $AGENTP_ATTEMPT"; sleep 60 & wait`);
  await vi.waitUntil(() => stopped.written.stderr.includes('attempt 2'), wait);
  stopped.kill('SIGTERM');
  expect(await stopped.ended).toBe(130);
  expect(stopped.written.stderr).toContain('stopped\n');
  expect((await listEvents('finished')).map(({ event }) => event.kind)).toContain('contact.requested');
});

it('refuses an empty command', async () => {
  expect(await machine.error(['events', 'listen', '--exec', ' ', ...asBob])).toMatchObject({
    exitCode: 2,
    message: 'The command of --exec is empty.',
  });
});

it('refuses a kind that does not exist', async () => {
  expect(await machine.error(['events', 'listen', '--kind', 'message.creatd', ...asBob])).toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('message.created'),
  });
});
