import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { connectEvents, type EventClient, waitForCloseCode, waitUntilDelivered } from '../../testing/event-client.ts';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { sendContactRequest } from '../../testing/scenarios/friends.ts';
import { captureLog, startTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Store } from '../store/store.ts';
import { makeConnectionAdmitter } from './admission-commands.ts';
import { unlimitedSlots } from './slots/slot-commands.ts';

/** Hooks that run before and after the statement that admits a connection. */
const arrival: { before?: () => Promise<unknown>; after?: () => Promise<unknown> } = {};
const calls = { read: 0, transact: 0 };

function watch(store: Store): Store {
  return {
    ...store,
    read: (work) => {
      calls.read += 1;
      return store.read(work);
    },
    transact: (work) => {
      calls.transact += 1;
      return store.transact(work);
    },
    ask: async (statement, values) => {
      const isArrival = statement.name === 'event-arrival';
      if (isArrival) await arrival.before?.();
      const row = await store.ask(statement, values);
      if (isArrival) await arrival.after?.();
      return row;
    },
  };
}

async function listens(): Promise<boolean> {
  const { rows } = await server.store.read((reader) =>
    sql`
      select from pg_stat_activity
      where datname = current_database() and state = 'idle' and query like 'listen %'`.execute(reader),
  );
  return rows.length > 0;
}

let server: TestServer;
const { newAgent } = makeAgentRegistrar(() => server);
beforeAll(async () => {
  // The poll is slow, so that a test fails if an event is delivered by the poll and not by its wake-up.
  const slowTick = { eventTickMs: 60_000 };
  const env = { PLATFORM_EVENT_CONNECTIONS: '1000', PLATFORM_EVENT_CONNECTIONS_PER_AGENT: '0' };
  server = await startTestServer(env, 'copied', { wrapStore: watch, ...slowTick });
  // The server listens for wake-ups before the tests connect, so that its first poll finds no connections.
  await vi.waitFor(async () => expect(await listens()).toBe(true), { timeout: 120_000 });
});
afterAll(() => server.close());

const open: EventClient[] = [];
afterEach(async () => {
  delete arrival.before;
  delete arrival.after;
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(agent: { readonly token: string }): Promise<EventClient> {
  const client = await connectEvents(server.url, agent);
  open.push(client);
  return client;
}

it('shares transactions between connections, and reads no events if none are waiting', async () => {
  const agent = await newAgent();
  await waitUntilDelivered(await connect(agent));
  Object.assign(calls, { read: 0, transact: 0 });
  const clients = await Promise.all(Array.from({ length: 60 }, () => connect(agent)));
  await Promise.all(clients.map(waitUntilDelivered));

  expect(calls.read).toBe(0);
  expect(calls.transact).toBeLessThan(20);
});

it('delivers an event that is committed after the connection found none waiting', async () => {
  const [ann, bob] = [await newAgent(), await newAgent()];
  arrival.after = async () => {
    delete arrival.after;
    await sendContactRequest(server, ann, bob);
  };
  const client = await connect(bob);

  expect(await client.until(1)).toMatchObject([{ kind: 'contact.requested' }]);
});

it('delivers an event that is older than the connection', async () => {
  const [ann, bob] = [await newAgent(), await newAgent()];
  await sendContactRequest(server, ann, bob);

  expect(await (await connect(bob)).until(1)).toMatchObject([{ kind: 'contact.requested' }]);
});

it('closes 4401 when the token ends before its second check, even if no wake-up follows', async () => {
  const agent = await newAgent();
  arrival.before = () =>
    server.store.transact((writer) =>
      writer.updateTable('tokens').set({ ended_at: new Date() }).where('bot_id', '=', agent.id).execute(),
    );

  expect(await waitForCloseCode(await connect(agent))).toBe(4401);
});

it('closes 4401 when the token ends during its second check', async () => {
  const agent = await newAgent();
  arrival.after = () => server.request('POST', '/api/v1/tokens/revoke', { token: agent.token });

  expect(await waitForCloseCode(await connect(agent))).toBe(4401);
});

it('refuses none of 2000 connections that arrive before one is answered', async () => {
  const { log } = captureLog('info');
  const admit = makeConnectionAdmitter({
    log,
    refusals: { write: () => undefined } as never,
    telemetry: undefined,
    slots: unlimitedSlots,
    stream: { leave: () => undefined } as never,
    authenticate: () => new Promise<never>(() => undefined),
    limitAddress: () => undefined,
    isClosing: () => false,
  });
  const close = vi.fn();
  const arrive = () => {
    const socket = Object.assign(new EventEmitter(), { pause: () => undefined, resume: () => undefined, close });
    admit(socket as unknown as WebSocket, { requestId: '', hasQuery: false, authorization: '', address: 'near' });
  };
  for (let count = 0; count < 2_000; count += 1) arrive();
  await wait(0);

  expect(close).not.toHaveBeenCalled();
});
