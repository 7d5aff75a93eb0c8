import { setTimeout as wait } from 'node:timers/promises';
import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import {
  type Answer,
  expectRefusal,
  hour,
  makeRegistration,
  minute,
  openTestServer,
  type TestServer,
} from '../../testing/test-server.ts';

function expectLimited(
  answer: Answer,
  code: 'rate_limited' | 'write_limited' | 'registration_limited',
  maxSeconds: number,
): void {
  expectRefusal(answer, code);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= maxSeconds, `Retry-After: ${seconds}`).toBe(true);
}

async function statuses(calls: readonly (() => Promise<Answer>)[]): Promise<Record<string, number>> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(await call());
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('the limits of one server', () => {
  it('accept 1,200 requests from an address in a minute, and the health checks in addition', async () => {
    const server = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1200' });
    const unknown = () => server.request('GET', '/nothing');

    expect(await statuses(times(1_200, () => unknown))).toEqual({ 404: 1_200 });
    expectLimited(await unknown(), 'rate_limited', 60);
    expect((await server.request('GET', '/health/live')).status).toBe(200);
    server.pass(minute);
    expect((await unknown()).status).toBe(404);
  });

  it('are checked before the token and the path', async () => {
    const server = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1' });
    expect((await server.request('GET', '/api/v1/bots/me')).status).toBe(401);

    expectLimited(await server.request('GET', '/api/v1/bots/me'), 'rate_limited', 60);
    expectLimited(await server.request('GET', '/nothing'), 'rate_limited', 60);
    expectLimited(await server.request('PUT', '/api/v1/bots/me'), 'rate_limited', 60);
  });

  it('count the writes of an identity with all of its tokens, including refused ones', async () => {
    const server = await openTestServer({ PLATFORM_WRITES_PER_MINUTE: '120' });
    const alice = await server.register('alice');
    const bob = await server.register('bob');
    const rotated = (await server.request('POST', '/api/v1/tokens/rotate', { token: alice.token })).body['token'] ?? '';
    const change = (body: unknown) => () => server.request('PATCH', '/api/v1/bots/me', { token: rotated, body });
    const unsupported = () =>
      server.request('PATCH', '/api/v1/bots/me', {
        token: rotated,
        body: 'a=b',
        headers: { 'content-type': 'text/plain' },
      });

    expect(await statuses(times(58, () => change({})))).toEqual({ 200: 58 });
    expect(await statuses(times(30, () => change({ handle: 'x' })))).toEqual({ 400: 30 });
    expect(await statuses(times(31, () => unsupported))).toEqual({ 415: 31 });
    expectLimited(await change({})(), 'write_limited', 60);
    expectLimited(await change('{"not json')(), 'write_limited', 60);
    expectRefusal(await unsupported(), 'unsupported_media_type');
    expect((await server.request('GET', '/api/v1/bots/me', { token: rotated })).status).toBe(200);
    expect((await server.request('PATCH', '/api/v1/bots/me', { token: bob.token, body: {} })).status).toBe(200);
    server.pass(minute);
    expect((await change({})()).status).toBe(200);
  });

  it('count registration attempts that are refused for their type or size', async () => {
    const server = await openTestServer({ PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '2' });
    const attempt = (body: string, type: string) =>
      server.request('POST', '/api/v1/bots/register', { body, headers: { 'content-type': type } });

    expectRefusal(await attempt('a=b', 'text/plain'), 'unsupported_media_type');
    expectRefusal(await attempt(`{"handle":"${'a'.repeat(70_000)}"}`, 'application/json'), 'body_too_large');
    expectLimited(await attempt('{}', 'application/json'), 'registration_limited', 3_600);
  });

  it('count paths that cannot be decoded', async () => {
    const server = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '2' });
    const undecodable = () => server.request('GET', '/api/v1/%zz');

    expect(await statuses([undecodable, undecodable, undecodable])).toEqual({ 404: 2, 429: 1 });
  });

  it('count registration attempts from an address, including failed ones', async () => {
    const server = await openTestServer({ PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '10' });
    const attempt = (body: unknown) => () => server.request('POST', '/api/v1/bots/register', { body });

    expect(await statuses(times(5, (index) => attempt(makeRegistration(`agent_${index}`))))).toEqual({ 201: 5 });
    expect(await statuses(times(5, () => attempt({})))).toEqual({ 400: 5 });
    expectLimited(await attempt(makeRegistration('late'))(), 'registration_limited', 3_600);
    expectLimited(await attempt({})(), 'registration_limited', 3_600);
    server.pass(hour);
    expect((await attempt(makeRegistration('late'))()).status).toBe(201);
  });

  it('count all registrations, but not refused attempts', async () => {
    const server = await openTestServer({
      PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '2',
      PLATFORM_REGISTRATIONS_PER_HOUR: '25',
      PLATFORM_TRUST_PROXY: '127.0.0.1',
    });
    const attempt = (address: string, body: unknown) => () =>
      server.request('POST', '/api/v1/bots/register', {
        body,
        headers: { 'x-forwarded-for': `1.1.1.1, ${address}` },
      });
    const taken = makeRegistration('alice');

    expect(await statuses(times(10, () => attempt('198.51.100.1', {})))).toEqual({ 400: 2, 429: 8 });
    expect(await statuses(times(5, (index) => attempt(`198.51.100.${index + 2}`, {})))).toEqual({ 400: 5 });
    expect(await statuses(times(6, (index) => attempt(`192.0.2.${index}`, taken)))).toEqual({ 201: 1, 409: 5 });
    // Nor do refused attempts in progress occupy the slots of other clients.
    const honest = (index: number) => attempt(`203.0.113.${index}`, makeRegistration(`agent_${index}`))();
    const parallel = times(220, (index) => (index % 11 === 0 ? honest(index) : attempt(`192.0.2.${index}`, taken)()));
    const answers = await Promise.all(parallel);
    expect(answers.filter((_, index) => index % 11 === 0).map(({ status }) => status)).toEqual(times(20, () => 201));
    const made = (await Promise.all(times(20, (index) => honest(221 + index)))).filter(({ status }) => status === 201);
    expect(made).toHaveLength(4);
    expectLimited(await attempt('198.51.100.9', makeRegistration('late'))(), 'registration_limited', 3_600);
    expectLimited(await attempt('198.51.100.10', {})(), 'registration_limited', 3_600);
  });

  it.each([
    ['/64', 1, (index: number) => `2001:db8::${index}`],
    ['/56', 4, (index: number) => `2001:db8:0:${index}::1`],
    ['/48', 16, (index: number) => `2001:db8:0:${index.toString(16)}00::1`],
  ])('count an IPv6 address in its %s, with %i times the limit of an address', async (_width, share, addressOf) => {
    const env = { PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '2', PLATFORM_TRUST_PROXY: '127.0.0.1' };
    const server = await openTestServer({ ...env, PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '4' });
    const call = (method: string, path: string, body?: object) => (index: number) => () =>
      server.request(method, path, { body, headers: { 'x-forwarded-for': addressOf(index % (2 * share)) } });

    const attempt = call('POST', '/api/v1/bots/register', {});
    expect(await statuses(times(4 * share, attempt))).toEqual({ 400: 2 * share, 429: 2 * share });
    expect(await statuses(times(2, call('GET', '/nothing')))).toEqual({ 429: 2 });
    expectLimited(await attempt(0)(), 'rate_limited', 60);
    expect((await server.request('GET', '/nothing', { headers: { 'x-forwarded-for': '2001:db9::1' } })).status).toBe(
      404,
    );
  });

  it('trust X-Forwarded-For only from a trusted proxy, and use its last untrusted address', async () => {
    const env = { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1' };
    const direct = await openTestServer(env);
    const proxied = await openTestServer({ ...env, PLATFORM_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' });
    const from = (server: TestServer, forwarded: string) => () =>
      server.request('GET', '/nothing', { headers: { 'x-forwarded-for': forwarded } });

    expect(await statuses([from(direct, '1.1.1.1'), from(direct, '2.2.2.2')])).toEqual({ 404: 1, 429: 1 });
    expect(await statuses([from(proxied, '9.9.9.9, 1.1.1.1, 10.1.2.3'), from(proxied, '8.8.8.8, 1.1.1.1')])).toEqual({
      404: 1,
      429: 1,
    });
    expect(await statuses([from(proxied, '1.1.1.2')])).toEqual({ 404: 1 });
    expect(await statuses([from(proxied, '2001:db8::1'), from(proxied, '2001:db8::2')])).toEqual({ 404: 1, 429: 1 });
  });
});

describe('a window that a wrong clock started', () => {
  it('does not block writers until its end', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const server = await openTestServer({ PLATFORM_WRITES_PER_MINUTE: '2' }, url);
    const { token } = await server.register('alice');
    const write = () => server.request('PATCH', '/api/v1/bots/me', { token, body: {} });
    expect(await statuses([write, write, write])).toEqual({ 200: 2, 429: 1 });
    await server.store.transact((writer) =>
      sql`update rate_windows set ends_at = now() + interval '20 days'`.execute(writer),
    );
    // This process has not read any window yet.
    const other = await openTestServer({ PLATFORM_WRITES_PER_MINUTE: '2' }, url);
    const again = () => other.request('PATCH', '/api/v1/bots/me', { token, body: {} });
    expect(await statuses([again, again, again])).toEqual({ 200: 2, 429: 1 });
  });
});

describe('the limits of two servers on one PostgreSQL', () => {
  it('are shared and exact', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const env = { PLATFORM_WRITES_PER_MINUTE: '40', PLATFORM_REGISTRATIONS_PER_HOUR: '12' };
    const [one, other] = [await openTestServer(env, url), await openTestServer(env, url)];
    const { token } = await one.register('alice');
    const writes = times(60, (index) =>
      (index % 2 === 0 ? one : other).request('PATCH', '/api/v1/bots/me', { token, body: {} }),
    );
    const counted = Map.groupBy(await Promise.all(writes), ({ status }) => status);

    expect([counted.get(200)?.length, counted.get(429)?.length]).toEqual([40, 20]);
    const attempts = times(20, (index) =>
      (index % 2 === 0 ? one : other).request('POST', '/api/v1/bots/register', {
        body: makeRegistration(`bob_${index}`),
      }),
    );
    const tried = Map.groupBy(await Promise.all(attempts), ({ status }) => status);
    expect([tried.get(201)?.length, tried.get(429)?.length]).toEqual([11, 9]);
  });

  it("are shared for the requests from an address, and exact once one server knows the other's count", async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const env = { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '300' };
    const [one, other] = [await openTestServer(env, url), await openTestServer(env, url)];
    const ask = (server: TestServer) => () => server.request('GET', '/nothing');

    expect(await statuses(times(150, () => ask(one)))).toEqual({ 404: 150 });
    await expect.poll(() => countedRequests(one)).toBe(150);
    expect(await statuses(times(150, () => ask(other)))).toEqual({ 404: 150 });
    expectLimited(await ask(other)(), 'rate_limited', 60);
    // The first server refuses requests soon, long before its own count reaches the limit.
    let last = 0;
    for (let tries = 0; tries < 40 && last !== 429; tries += 1) {
      await wait(50);
      last = (await ask(one)()).status;
    }
    expect(last).toBe(429);
  });

  it('never admit more parallel requests than the limit and those admitted in advance', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const env = { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '160' };
    const [one, other] = [await openTestServer(env, url), await openTestServer(env, url)];
    const flood = await Promise.all(
      times(1_000, (index) => (index % 2 === 0 ? one : other).request('GET', '/nothing')),
    );
    const passed = flood.filter(({ status }) => status === 404).length;

    expect(passed).toBeGreaterThanOrEqual(160);
    expect(passed).toBeLessThanOrEqual(160 + 10);
  });

  it('admit exactly the limit of parallel requests to one server', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const server = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '300' }, url);
    const flood = await Promise.all(times(1_000, () => server.request('GET', '/nothing')));

    expect(flood.filter(({ status }) => status === 404)).toHaveLength(300);
  });

  it('refuse a flood above its limit without a query', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const server = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '5' }, url);
    await Promise.all(times(50, () => server.request('GET', '/nothing')));
    const counted = await countedRequests(server);
    await Promise.all(times(200, () => server.request('GET', '/nothing')));

    expect(await countedRequests(server)).toBe(counted);
  });

  it('count thousands of addresses without losing a count', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const env = { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000', PLATFORM_TRUST_PROXY: '127.0.0.1' };
    const server = await openTestServer(env, url);
    const from = (index: number) => ({ 'x-forwarded-for': `198.18.${index >> 8}.${index & 255}` });
    for (let round = 0; round < 3; round += 1) {
      // A busy machine could not handle more concurrent connections.
      for (let next = 0; next < 1_500; next += 100)
        await Promise.all(times(100, (index) => server.request('GET', '/nothing', { headers: from(next + index) })));
    }

    await expect.poll(() => sumOfCounts(server)).toBe(4_500);
    expect(server.logged()).not.toContain('cannot be counted');
  });
});

async function countedRequests(server: TestServer): Promise<number | undefined> {
  const row = await server.store.read((reader) =>
    reader.selectFrom('rate_windows').where('key', 'like', 'requests:%').select('count').executeTakeFirst(),
  );
  return row?.count;
}

async function sumOfCounts(server: TestServer): Promise<number> {
  const rows = await server.store.read((reader) => reader.selectFrom('rate_windows').select('count').execute());
  return rows.reduce((sum, row) => sum + row.count, 0);
}
