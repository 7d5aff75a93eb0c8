import { freshDatabase, scaleRepetitions, startLoadAdjustedTimer } from '@agent-platform/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../../testing/tcp-proxy.ts';
import { expectRefusal, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { openPostgresStore } from '../open-store.ts';
import { prepareSqlText } from '../statements/prepared.ts';
import { StoreUnavailableError } from '../unavailable.ts';

let wire: TcpProxy;
let server: TestServer;
let token: string;
beforeAll(async () => {
  wire = await startTcpProxy(await freshDatabase(inject('postgresUrl')));
  server = await startTestServer({ PLATFORM_WRITES_PER_MINUTE: '1000' }, wire.url);
  ({ token } = await server.register('alice'));
});
afterAll(async () => {
  wire.thaw();
  await server.close();
  await wire.close();
});

const me = () => server.request('GET', '/api/v1/bots/me', { token });
const change = () => server.request('PATCH', '/api/v1/bots/me', { token, body: { bio: String(Math.random()) } });
const ready = async () => (await server.request('GET', '/health/ready')).status;

describe('a database that freezes', () => {
  it('makes every request 503 within 10 s and the server unready within 5 s, and has no effect 5 s later', async () => {
    wire.freeze();
    const quietMs = startLoadAdjustedTimer();
    const requests = Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? me() : change())));

    expect(await ready()).toBe(503);
    expect(quietMs()).toBeLessThan(5_000);
    for (const answer of await requests) {
      expectRefusal(answer, 'unavailable');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(quietMs()).toBeLessThan(10_000);
    expect((await server.request('GET', '/health/live')).status).toBe(200);
    const forgottenMs = startLoadAdjustedTimer();
    wire.thaw();
    await expect.poll(ready).toBe(200);
    expect(forgottenMs()).toBeLessThan(5_000);
    await expect.poll(async () => (await change()).status).toBe(200);
    expect(forgottenMs()).toBeLessThan(15_000);
  });
});

describe('a database that goes away', () => {
  it('makes nothing worse than 503, and everything is normal within 10 s, each time', async () => {
    for (let round = 0; round < scaleRepetitions(10); round += 1) {
      const load = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? me() : change()));
      wire.cut();
      const during = await Promise.all([...load, me(), change()]);
      for (const answer of during) expect([200, 503]).toContain(answer.status);
      const quietMs = startLoadAdjustedTimer();
      wire.thaw();
      await expect.poll(async () => (await change()).status).toBe(200);
      expect(quietMs()).toBeLessThan(10_000);
    }
    expect(await openConnections()).toBeLessThanOrEqual(10);
  });
});

describe('a connection whose transaction was abandoned', () => {
  it('accepts no more work, which would become a part of that transaction', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const link = await startTcpProxy(url);
    const store = await openPostgresStore(link.url, () => undefined, { connectionsMax: 1 });
    const witness = await openPostgresStore(url, () => undefined, { connectionsMax: 1 });
    try {
      await store.read((reader) => sql`create table noted (number int)`.execute(reader));
      const note = prepareSqlText<never>('note-a-number', 'insert into noted values (1)');
      link.freeze();
      await expect(store.transact((writer) => sql`select 1`.execute(writer))).rejects.toThrow(StoreUnavailableError);
      link.thaw();

      const isNoted = () =>
        store.run(note, []).then(
          () => true,
          () => false,
        );
      await expect.poll(isNoted).toBe(true);
      const { rows } = await witness.read((reader) => sql`select number from noted`.execute(reader));
      expect(rows).toEqual([{ number: 1 }]);
    } finally {
      link.thaw();
      await store.close();
      await witness.close();
      await link.close();
    }
  });
});

async function openConnections(): Promise<number> {
  const { rows } = await server.store.read((reader) =>
    sql<{ count: string }>`select count(*) as count from pg_stat_activity where datname = current_database()`.execute(
      reader,
    ),
  );
  return Number(rows[0]?.count);
}
