import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, vi } from 'vitest';
import { befriend, registerAgent } from '../../testing/friends.ts';
import { makeOffer } from '../../testing/pair.ts';
import { credentialFor, testPassport } from '../../testing/records.ts';
import { startServerWithOperator } from '../../testing/reference-server.ts';
import { replyError, replyJson } from '../../testing/scripted-server.ts';
import { makeEventId, makeOrderEvent, serveStream } from '../../testing/stream-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import type { TokenRotation } from '../transport/hooks.ts';
import { sleep } from '../transport/sleep.ts';
import { memoryCredentials } from './credential-store.ts';
import { fileCredentials } from './file-credentials.ts';

const day = 86_400_000;

/** A platform with one agent, whose token expires after 30 days. The test sets the clock. */
async function movedPlatform(clock: { nowMs: number }) {
  const iso = (ms: number) => new Date(ms).toISOString();
  const issue = (number: number) => ({ token: `apt_${number}`, expiresMs: clock.nowMs + 30 * day });
  let current = issue(0);
  let rotations = 0;
  let requests = 0;
  const isValid = (authorization: string | undefined) =>
    authorization === `Bearer ${current.token}` && clock.nowMs < current.expiresMs;
  const server = await serveStream(
    (connection) => {
      if (!isValid(connection.authorization)) connection.close(4401);
    },
    (request, response) => {
      if (request.url?.endsWith('/rotate') === true) requests += 1;
      if (!isValid(request.headers.authorization)) return replyError(401, 'unauthorized')(response, request);
      if (request.url?.endsWith('/rotate') !== true) return replyJson(200, { bot: testPassport })(response, request);
      rotations += 1;
      current = issue(rotations);
      replyJson(200, { token: current.token, token_expires_at: iso(current.expiresMs) })(response, request);
      for (const { socket } of server.connections) socket.close(4401);
    },
  );
  const credentials = memoryCredentials();
  const issued = { token: current.token, token_expires_at: iso(current.expiresMs), token_issued_at: iso(clock.nowMs) };
  await credentials.save(credentialFor(server.url, issued));
  const client = () =>
    new AgentPlatform({
      baseUrl: server.url,
      credentials,
      now: () => clock.nowMs,
      sleep: (milliseconds, signal) => sleep(milliseconds / 100, signal),
    });
  return { server, client, rotations: () => rotations, requests: () => requests };
}

it('an agent whose tokens live for 30 days receives events on day 25, 50, 75 and 100', async () => {
  const clock = { nowMs: Date.parse('2027-01-01T00:00:00Z') };
  const { server, client, rotations } = await movedPlatform(clock);
  const platform = client();
  const handled: string[] = [];
  platform.events.on('order.changed', ({ event_id }) => void handled.push(event_id));

  for (let period = 1; period <= 4; period += 1) {
    clock.nowMs += 25 * day;
    const ending = new AbortController();
    const running = platform.events.run({ signal: ending.signal });
    await vi.waitUntil(() => rotations() === period, 120_000);
    // The connection with the old token is closed; the event arrives on the next one.
    const isOpen = () => server.connections.findLast(({ authorization }) => authorization === `Bearer apt_${period}`);
    await vi.waitUntil(() => isOpen() !== undefined, 120_000);
    isOpen()?.send(makeOrderEvent(period));
    await vi.waitUntil(() => handled.length === period, 120_000);
    ending.abort();
    await running;
  }

  expect(handled).toEqual([1, 2, 3, 4].map(makeEventId));
  await expect(platform.bots.me()).resolves.toMatchObject({ handle: 'alice' });
});

it('a process that finds the new token of a faster process in the store requests no rotation', async () => {
  const clock = { nowMs: Date.parse('2027-01-01T00:00:00Z') };
  const { server, client, rotations, requests } = await movedPlatform(clock);
  const [first, second] = [client(), client()];
  // Both clients cache the old token.
  await Promise.all([first.bots.me(), second.bots.me()]);
  clock.nowMs += 25 * day;
  for (const platform of [first, second]) {
    const ending = new AbortController();
    const running = platform.events.run({ signal: ending.signal });
    const connections = server.connections.length;
    await vi.waitUntil(() => rotations() === 1 && server.connections.length > connections, 120_000);
    ending.abort();
    await running;
  }

  expect(requests()).toBe(1);
});

it('several processes with one credential rotate the token once, and none misses an order or an event', async () => {
  const server = await startServerWithOperator();
  const credentials = fileCredentials(join(makeTestFolder(), 'bob.json'));
  const told: TokenRotation[] = [];
  // Two programs of one agent use the same credential file but separate states.
  const clientOf = (aheadMs: number) =>
    new AgentPlatform({
      baseUrl: server.url,
      credentials,
      now: () => Date.now() + aheadMs,
      hooks: { onTokenRotation: (info) => told.push(info) },
    });
  await clientOf(0).register({ handle: 'bob_1', display_name: 'Bob' });
  const alice = await registerAgent(server.url, 'alice');
  await befriend(alice, clientOf(0));
  await server.grant('alice', 10_000);
  const { token: before, bot_id: bobId } = (await credentials.load()) ?? credentialFor(server.url);

  const ending = new AbortController();
  const { signal } = ending;
  const seen: string[][] = [[], []];
  const programs = seen.map((events) => {
    const platform = clientOf(25 * day);
    platform.events.on('order.changed', ({ payload }) => void events.push(`${payload.version} ${payload.status}`));
    const working = platform.orders.work(
      async (_, { accept, start, deliver }) => {
        await (accept?.() ?? start?.() ?? deliver?.({ result_text: 'done' }));
      },
      { role: 'contractor', pollEveryMs: 200, signal },
    );
    return Promise.all([platform.events.run({ signal }), working]);
  });
  await vi.waitUntil(async () => (await credentials.load())?.token !== before, { timeout: 120_000 });
  const { id } = await alice.orders.create({ ...makeOffer(bobId), deadline: '2126-11-21T12:00:00.000Z' });
  await vi.waitUntil(async () => (await alice.orders.get(id)).order.state === 'delivered', { timeout: 120_000 });
  await vi.waitUntil(() => seen.flat().includes('4 delivered'), { timeout: 120_000 });
  ending.abort();
  await Promise.all(programs);

  expect(told).toMatchObject([{ state: 'rotated' }]);
  const { events } = await alice.orders.get(id);
  expect(events.map(({ action }) => action)).toEqual(['create', 'accept', 'start', 'deliver']);
  expect(new Set(seen.flat())).toEqual(new Set(['1 offered', '2 funded', '3 in_progress', '4 delivered']));
});
