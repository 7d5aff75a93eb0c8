import { freshDatabase } from '@agent-platform/testing';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectEvents, waitForCloseCode } from '../../../testing/event-client.ts';
import { makeInstallation, makeInstallationsSharingDatabase, register } from '../../../testing/installation.ts';
import { scrape } from '../../../testing/prometheus.ts';
import { captureLog, openTestServer, sendRequest } from '../../../testing/test-server.ts';
import { systemClock } from '../../platform/clock.ts';
import { readSettings } from '../../platform/settings/settings.ts';
import { startServer } from '../../process/start-server.ts';
import { StartInterruptedError } from '../../process/wait-for-writes.ts';
import type { Store } from '../store.ts';
import { toStoreFailure } from '../unavailable.ts';

/** Ends the database's sessions, because they would keep their initial mode. */
async function makeReadOnly(databaseUrl: string, isReadOnly: boolean): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

const readiness = async (url: string) => (await fetch(`${url}/health/ready`)).status;
const untilReady = (url: string, status: number) => expect.poll(() => readiness(url), { timeout: 60_000 }).toBe(status);
const timesIn = (log: string, text: string) => log.split(text).length - 1;

describe('a PostgreSQL that becomes read-only', () => {
  it('serves reads: writes are 503, the server is not ready, and two log lines report it', async () => {
    const shared = await makeInstallationsSharingDatabase();
    onTestFinished(shared.remove);
    const installation = shared.install({ PLATFORM_METRICS_PORT: '0' });
    const databaseUrl = installation.env['DATABASE_URL'] ?? '';
    const server = await installation.start();
    const alice = await register(server.url, 'alice');
    const post = () =>
      sendRequest(server.url, 'POST', '/api/v1/posts', { token: alice.token, body: { text: 'hello' } });
    expect((await post()).status).toBe(201);
    const isUp = async () => (await scrape(server.metricsUrl)).sum('agent_platform_database_up');
    expect(await isUp()).toBe(1);

    await makeReadOnly(databaseUrl, true);
    const read = async (path: string) => (await sendRequest(server.url, 'GET', path, { token: alice.token })).status;
    await expect.poll(() => read('/api/v1/bots/me'), { timeout: 60_000 }).toBe(200);
    await untilReady(server.url, 503);
    expect(await Promise.all(['/api/v1/posts', '/api/v1/wallet', '/api/v1/contacts'].map(read))).toEqual([
      200, 200, 200,
    ]);
    expect((await fetch(`${server.url}/agents`)).status).toBe(200);
    const [refused, registered] = [await post(), await register(server.url, 'bob')];
    expect([refused.status, refused.headers.get('retry-after'), registered.code]).toEqual([503, '2', 'unavailable']);
    expect(await waitForCloseCode(await connectEvents(server.url, alice))).toBe(1013);
    await expect.poll(isUp, { timeout: 60_000 }).toBe(0);
    const doctor = await installation.operator('doctor');
    expect([doctor.exitCode, doctor.out]).toEqual([
      1,
      expect.stringMatching(/fail +database .*does not accept writes.*primary/s),
    ]);

    await makeReadOnly(databaseUrl, false);
    await untilReady(server.url, 200);
    await expect.poll(async () => (await post()).status, { timeout: 60_000 }).toBe(201);
    const log = server.logged();
    expect(timesIn(log, '"msg":"the database does not accept writes')).toBe(1);
    expect(timesIn(log, 'the database accepts writes again')).toBe(1);
    expect(log).not.toContain('internal error');
    // A request on a connection that ends may be unavailable for that reason.
    expect(log).not.toMatch(/does not accept writes.*"msg":"unavailable"/);
  });

  it('delays a start until a signal ends it, or until migrations can be applied', async () => {
    const databaseUrl = await freshDatabase(inject('postgresUrl'));
    await makeReadOnly(databaseUrl, true);
    const installation = makeInstallation({ DATABASE_URL: databaseUrl });
    onTestFinished(installation.stop);
    const start = async () => {
      const { log, logged } = captureLog('info');
      const starting = startServer({ settings: readSettings(installation.env), clock: systemClock, log });
      starting.catch(() => undefined);
      await expect.poll(logged, { timeout: 60_000 }).toContain('startup waits until the database accepts writes');
      return { starting, logged };
    };
    const { starting: ended } = await start();
    process.emit('SIGTERM');
    await expect(ended).rejects.toThrow(StartInterruptedError);

    const { starting, logged } = await start();
    await makeReadOnly(databaseUrl, false);
    const server = await starting;
    onTestFinished(() => server.stop());
    expect(await readiness(server.url)).toBe(200);
    expect(timesIn(logged(), 'startup waits')).toBe(1);
    expect(logged()).toMatch(/it is read-only or a standby.*accepts writes again.*applied migrations/s);
  });
});

describe('a PostgreSQL whose disk is full', () => {
  it('makes the server not ready from the first write that fails until one succeeds', async () => {
    let isFull = false;
    const wrapStore = (inner: Store): Store => ({
      ...inner,
      transact: async (work) => {
        if (!isFull) return await inner.transact(work);
        throw toStoreFailure(Object.assign(new Error('No space left on device'), { code: '53100' }));
      },
    });
    const server = await openTestServer({}, 'copied', { wrapStore });
    const { token } = await server.register('alice');
    const change = async () =>
      (await server.request('PATCH', '/api/v1/bots/me', { token, body: { bio: 'new' } })).status;
    isFull = true;
    expect([await readiness(server.url), await change(), await readiness(server.url)]).toEqual([200, 503, 503]);
    isFull = false;

    await untilReady(server.url, 200);
    expect(await change()).toBe(200);
    expect(server.logged()).toMatch(/"cause":"No space left on device".*the database does not accept writes/);
  });
});
