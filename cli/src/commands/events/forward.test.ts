import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { verifyEvent } from '@agent-platform/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';
import { startFaultyServer } from '../../../testing/stub-server.ts';

let server: ReferenceServer;
let machine: Machine;
const asBob = ['--profile', 'bob'];

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await makeFriends(machine, server, ['alice', 'bob']);
});
afterAll(() => server.stop());

it('posts each event with its signature until the server answers 2xx', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const hook = await startFaultyServer((response, { headers }, content) => {
    received.push({ headers, body: content.toString() });
    // A redirect does not count as success.
    response.writeHead(received.length === 1 ? 302 : 204, { location: '/elsewhere' }).end();
  });
  const file = join(machine.home, 'secret.txt');
  writeFileSync(file, 'a shared secret\n');
  await machine.data(['messages', 'send', 'bob', 'For the server', '--profile', 'alice']);
  const ending = new AbortController();
  const target = ['--forward-to', `${hook.url}/hook`, '--secret-file', file];
  const words = ['events', 'listen', '--kind', 'message.created', '--open', ...target, ...asBob];
  const running = machine.run(words, { signal: ending.signal });
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(2);
  const finished = async () => JSON.stringify(await machine.data(['events', 'list', '--status', 'finished', ...asBob]));
  await expect.poll(finished, { timeout: 30_000 }).toContain('message.created');
  ending.abort(new Error('enough'));

  const lines = (await running).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, 2)).toMatchObject([
    { attempt: 1, status: 'waiting', exit_code: null, http_status: 302, next_attempt_seconds: 1 },
    { attempt: 2, status: 'finished', http_status: 204 },
  ]);
  const [{ headers, body } = { headers: {}, body: '' }, again] = received;
  const event = await verifyEvent(body, headers, 'a shared secret');
  expect(event).toMatchObject({ kind: 'message.created', opened: { text: 'For the server' } });
  expect(headers).toMatchObject({ 'agentp-event-id': event?.event_id, 'agentp-attempt': '1' });
  expect(again?.headers).toMatchObject({ 'agentp-event-id': event?.event_id, 'agentp-attempt': '2' });
  expect(await verifyEvent(body, headers, 'another secret')).toBeUndefined();
  await hook.close();
});

it('retries an event while the server cannot be reached', async () => {
  const ending = new AbortController();
  const words = ['events', 'listen', '--forward-to', 'http://127.0.0.1:9', ...asBob];
  const running = machine.run(words, { signal: ending.signal });
  const attempts = async () => JSON.stringify(await machine.data(['events', 'list', ...asBob]));
  await expect.poll(attempts, { timeout: 30_000 }).toContain('did not answer');
  ending.abort(new Error('enough'));

  expect((await running).stdout).toContain('"status":"waiting","exit_code":null,"signal":null,"http_status":null');
});

it.each([
  [['--forward-to', 'platform.example/hook']],
  [['--forward-to', 'https://me:pass@platform.example']],
  [['--forward-to', 'http://127.0.0.1:9', '--exec', 'true']],
  [['--secret-file', 'secret.txt']],
])('refuses %j', async (options) => {
  expect(await machine.error(['events', 'listen', ...options, ...asBob])).toMatchObject({ code: 'usage' });
});
