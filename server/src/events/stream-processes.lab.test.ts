import { freshDatabase, startRedis } from '@agent-platform/testing';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectEvents, type EventClient } from '../../testing/event-client.ts';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { countWaitingEvents, fillBacklog } from '../../testing/scenarios/backlog.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { befriend, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { suspendAgent } from '../../testing/scenarios/suspension.ts';
import { startTcpProxy } from '../../testing/tcp-proxy.ts';
import { openTestServer, type RegisteredAgent, startTestServer, type TestServer } from '../../testing/test-server.ts';

const open: EventClient[] = [];
async function connect(server: TestServer, agent: RegisteredAgent): Promise<EventClient> {
  const client = await connectEvents(server.url, agent);
  open.push(client);
  return client;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function send(server: TestServer, from: RegisteredAgent, to: RegisteredAgent): Promise<void> {
  const body = await makeEnvelope(server, from, to);
  const answer = await server.request('POST', '/api/v1/messages', { token: from.token, body });
  expect(answer.status).toBe(201);
}

async function settleDown(client: EventClient): Promise<void> {
  const pong = new Promise((resolve) => client.socket.once('pong', resolve));
  client.socket.ping();
  await pong;
}

const ackEverything = (client: EventClient) => {
  client.ack(...client.eventIds());
  client.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === 'event') client.ack(frame.event_id);
  });
};

/** The servers poll every third tick, so only a wake-up can deliver an event in this time, even on a busy machine. */
const soonMs = 50_000;
const slowTick = { eventTickMs: 20_000 };

describe.each([
  ['PostgreSQL', async () => ({ env: {}, stop: async () => undefined })],
  [
    'Redis',
    async () => {
      const redis = await startRedis();
      return { env: { REDIS_URL: redis.url }, stop: () => redis.stop() };
    },
  ],
] as const)('two processes on one database, with wake-ups by %s', (_name, prepare) => {
  let one: TestServer;
  let two: TestServer;
  let stop: () => Promise<unknown>;
  const { newAgent } = makeAgentRegistrar(() => one);
  beforeAll(async () => {
    const databaseUrl = await freshDatabase(inject('postgresUrl'));
    const prepared = await prepare();
    stop = prepared.stop;
    const env = {
      PLATFORM_EVENT_CONNECTIONS: '6',
      PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS: '0',
      ...prepared.env,
    };
    one = await startTestServer(env, databaseUrl, slowTick);
    two = await startTestServer(env, databaseUrl, slowTick);
    // Waits for a first event, which proves that both servers listen before the tests trigger others.
    const [alice, bob] = [await newAgent(), await newAgent()];
    const client = await connect(two, bob);
    await sendContactRequest(one, alice, bob);
    await client.until(1);
    await client.close();
    open.splice(0);
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
    await stop();
  });

  it('deliver an event from one process to a connection of the other', async () => {
    const [alice, bob] = [await newAgent(), await newAgent()];
    await befriend(one, alice, bob);
    const client = await connect(two, bob);
    await client.until(1);
    const startedMs = performance.now();
    await send(one, alice, bob);
    await client.until(2);

    expect(performance.now() - startedMs).toBeLessThan(soonMs);
    expect(client.frames.at(-1)).toMatchObject({ kind: 'message.created', payload: { sender_id: alice.id } });
  });

  it('share acks, so that each settles events and frees the window of the other', async () => {
    const bob = await newAgent();
    const ids = await fillBacklog(one.store, bob.id, 70);
    const [here, there] = [await connect(one, bob), await connect(two, bob)];
    await Promise.all([here.until(64), there.until(64)]);
    const startedMs = performance.now();
    here.ack(...ids.slice(0, 6));
    await Promise.all([here.until(70), there.until(70)]);

    expect(performance.now() - startedMs).toBeLessThan(soonMs);
    there.ack(...ids.slice(0, 6));
    await there.until(6, 'acked');
    expect(await countWaitingEvents(one.store, bob.id)).toBe(64);
  });

  it('deliver everything once to each when both acknowledge at the same time', async () => {
    const bob = await newAgent();
    await fillBacklog(one.store, bob.id, 500);
    const [here, there] = [await connect(one, bob), await connect(two, bob)];
    for (const client of [here, there]) ackEverything(client);
    await expect.poll(() => countWaitingEvents(one.store, bob.id)).toBe(0);

    for (const client of [here, there]) expect(new Set(client.eventIds()).size).toBe(client.eventIds().length);
    expect(new Set([...here.eventIds(), ...there.eventIds()]).size).toBe(500);
    expect([here.socket.readyState, there.socket.readyState]).toEqual([1, 1]);
  });

  it('lose nothing of 200 messages that are sent at both in parallel', async () => {
    const [alice, bob] = [await newAgent(), await newAgent()];
    await befriend(one, alice, bob);
    const client = await connect(two, bob);
    ackEverything(client);
    await Promise.all(Array.from({ length: 200 }, (_, number) => send(number % 2 === 0 ? one : two, alice, bob)));
    await client.until(201);
    await settleDown(client);

    expect(new Set(client.eventIds()).size).toBe(201);
    expect(client.eventIds().length).toBe(201);
  });

  it('both drop the events that a block drops', async () => {
    const [alice, bob] = [await newAgent(), await newAgent()];
    const contact = await befriend(one, alice, bob);
    await send(one, alice, bob);
    await sendContactBlock(one, bob, contact);
    const client = await connect(two, alice);
    await client.until(1);
    await settleDown(client);

    expect(client.frames.map((frame) => frame['kind'])).toEqual(['contact.blocked']);
  });

  it('enforce the limit of an agent together', async () => {
    const bob = await newAgent();
    const taken = await Promise.all([connect(one, bob), connect(two, bob)]);
    await Promise.all(taken.map(settleDown));
    const thirds = await Promise.all([connect(one, bob), connect(two, bob)]);

    expect(await Promise.all(thirds.map(async ({ ended }) => (await ended).code))).toEqual([4429, 4429]);
  });

  it('immediately count slots that an agent has released at the other', async () => {
    const bob = await newAgent();
    for (const [here, there] of [
      [one, two],
      [two, one],
      [one, two],
    ] as const) {
      const taken = await Promise.all([connect(here, bob), connect(here, bob)]);
      await Promise.all(taken.map(settleDown));
      for (const { socket } of taken) socket.terminate();
      const again = await Promise.all([connect(there, bob), connect(there, bob)]);
      await Promise.all(again.map((client) => Promise.race([settleDown(client), client.ended])));
      expect(again.map(({ socket }) => socket.readyState)).toEqual([1, 1]);
      await Promise.all(again.map((client) => client.close()));
    }
  });

  it('enforce the total limit under a storm of connections', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, newAgent));
    const clients = await Promise.all(
      agents.flatMap((agent) => [connect(one, agent), connect(two, agent), connect(one, agent)]),
    );
    await expect.poll(() => clients.filter(({ socket }) => socket.readyState === 1).length).toBe(6);
  });

  it.each(['tokens/rotate', 'tokens/revoke'])('close 4401 for each other after %s', async (command) => {
    const bob = await newAgent();
    const client = await connect(two, bob);
    await settleDown(client);
    const startedMs = performance.now();
    await one.request('POST', `/api/v1/${command}`, { token: bob.token });

    expect((await client.ended).code).toBe(4401);
    expect(performance.now() - startedMs).toBeLessThan(soonMs);
  });

  it('close 4403 for each other when an agent is suspended', async () => {
    const bob = await newAgent();
    const client = await connect(two, bob);
    await suspendAgent(one.store, () => new Date(), bob.handle);
    one.app.accessChanged([bob.id]);

    expect((await client.ended).code).toBe(4403);
  });
});
describe('a process whose database becomes unavailable', () => {
  it('keeps its connections, and delivers when the database is back', async () => {
    const databaseUrl = await freshDatabase(inject('postgresUrl'));
    const proxy = await startTcpProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const [near, far] = [await openTestServer({}, proxy.url), await openTestServer({}, databaseUrl)];
    const [alice, bob] = [await far.register('alice'), await far.register('bob')];
    const client = await connect(near, bob);
    await settleDown(client);
    proxy.cut();
    await sendContactRequest(far, alice, bob);
    await settleDown(client);
    proxy.thaw();
    await client.until(1);

    expect(client.socket.readyState).toBe(1);
  });
});

describe('two processes whose Redis freezes', () => {
  it('still deliver events to each other', async () => {
    const databaseUrl = await freshDatabase(inject('postgresUrl'));
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const start = () => openTestServer({ REDIS_URL: redis.url }, databaseUrl, { eventTickMs: 200 });
    const [near, far] = [await start(), await start()];
    const [alice, bob] = [await far.register('alice'), await far.register('bob')];
    const client = await connect(near, bob);
    redis.freeze();
    await befriend(far, alice, bob);
    await send(far, alice, bob);

    expect((await client.until(2)).at(-1)?.['kind']).toBe('message.created');
  });
});

describe('a process that stops', () => {
  it('closes a connection during its admission, at any moment', async () => {
    for (let moment = 0; moment < 12; moment += 1) {
      const stopping = await startTestServer();
      const client = await connectEvents(stopping.url, await stopping.register('agent'));
      await new Promise((resolve) => setTimeout(resolve, moment * 0.4));
      await stopping.close();

      expect((await client.ended).code).toBe(1013);
    }
  });
});
