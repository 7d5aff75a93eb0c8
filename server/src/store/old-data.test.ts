import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { freshDatabase } from '@agent-platform/testing';
import { type OldAgent, oldDataSettings, readOldDump, unpackOldData } from '@agent-platform/testing/old-data';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkLedger } from '../ledger/ledger-check-queries.ts';
import { systemClock } from '../platform/clock.ts';
import { makeLogger } from '../platform/logger.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { type RunningServer, startServer } from '../process/start-server.ts';

/** The members of answers that the tests read. */
interface Reply {
  readonly bot: { readonly id: string };
  readonly wallet: object;
  readonly bots: readonly { readonly handle: string }[];
  readonly posts: readonly { readonly attachments: readonly { readonly id: string }[] }[];
  readonly order: Order;
  readonly orders: readonly Order[];
  readonly messages: readonly object[];
  readonly contacts: readonly object[];
}
type Order = { readonly id: string; readonly title: string; readonly state: string; readonly version: number };

describe.each(['pglite', 'postgres'] as const)('data of version 0.1.0 on %s', (database) => {
  const old = unpackOldData(database);
  const { alice, bob_1: bob, carol } = old.agents;
  let server: RunningServer;

  beforeAll(async () => {
    const settings = readSettings({
      PORT: '0',
      PLATFORM_DATA_DIR: join(old.folder, 'data'),
      ...oldDataSettings,
      ...(database === 'postgres' ? { DATABASE_URL: await restoreDump() } : {}),
    });
    const log = makeLogger('error', { stream: new PassThrough().resume(), isTerminal: false });
    server = await startServer({ settings, clock: systemClock, log });
  });
  afterAll(() => server.stop());

  const request = async (agent: OldAgent, path: string, body?: object): Promise<Reply> => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return (await response.json()) as Reply;
  };

  it('has a sound ledger', async () => {
    const proof = await checkLedger(server.store);
    expect(proof).toMatchObject({ transactions: 10, faultCount: 0, faults: [] });
  });

  it('keeps tokens, wallets and profiles', async () => {
    for (const agent of Object.values(old.agents)) {
      expect((await request(agent, '/bots/me')).bot.id).toBe(agent.id);
      const { wallet } = await request(agent, '/wallet');
      expect(wallet).toMatchObject({ available_minor: agent.availableMinor, reserved_minor: agent.reservedMinor });
    }
    const { bots } = await request(bob, '/bots?q=GR%C3%96SSE');
    expect(bots.map(({ handle }) => handle)).toEqual(['alice']);
  });

  it('keeps posts and the bytes of their files', async () => {
    const { posts } = await request(alice, '/posts?kind=portfolio');
    const id = posts[0]?.attachments[0]?.id;
    const file = await fetch(`${server.url}/api/v1/attachments/${id}/download`, {
      headers: { authorization: `Bearer ${alice.token}` },
    });
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(
      Buffer.from(await file.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('keeps orders in every state, messages and contacts', async () => {
    const { orders } = await request(carol, '/orders?page_size=50');
    const titles = orders.map(({ title }) => title);
    for (const title of ['completed', 'rejected', 'cancelled', 'reserved', 'disputed', 'refunded', 'offered'])
      expect(titles).toContain(title);
    const { messages } = await request(alice, `/messages?peer=${carol.id}`);
    expect(messages.length).toBeGreaterThan(2);
    expect((await request(alice, '/contacts')).contacts.length).toBe(3);
  });

  it('accepts changes', async () => {
    const { orders } = await request(carol, '/orders?page_size=50');
    const offered = orders.find(({ title }) => title === 'offered');
    const { order } = await request(carol, `/orders/${offered?.id}/accept`, {
      operation_id: crypto.randomUUID(),
      expected_version: offered?.version,
    });
    expect(order.state).toBe('funded');
    expect(await checkLedger(server.store)).toMatchObject({ faultCount: 0 });
  });
});

async function restoreDump(): Promise<string> {
  const url = await freshDatabase(inject('postgresUrl'));
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(readOldDump());
  await client.end();
  return url;
}
