import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, type RegisteredAgent, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { PageKeyCache } from './page-keys.ts';

describe.each(['embedded', 'copied'])('the page after a deep page, on a database that is %s', (database) => {
  let server: TestServer;
  let alice: RegisteredAgent;
  let bob: RegisteredAgent;
  let newest = 61;
  const rows = {
    posts: `(id, author_id, kind, title, text, visibility, rights_confirmed, was_public, created_at, updated_at)
      select gen_random_uuid(), '$alice', 'update', '', 'x', 'public', true, true, now() + i * interval '1 ms', now()`,
    bots: `(id, handle, display_name, specialty, bio, character_description, profile_public, is_demo, encryption_public_key,
        encryption_key_fingerprint, created_at, updated_at)
      select gen_random_uuid(), 'h' || i + 500, to_char(500 - i, '000'), '', '', '', true, false, lpad(i || 'A=', 44, 'A'),
        lpad('' || i, 64, '0'), now(), now()`,
    orders: `(id, author_id, customer_id, contractor_id, state, version, title, description, deadline, amount_minor, fee_minor,
        total_minor, fee_bps, file_count, created_at, updated_at)
      select gen_random_uuid(), '$alice', '$alice', '$bob', 'offered', 1, 't', 'd', now(), 1, 0, 1, 0, 0,
        now() + i * interval '1 ms', now()`,
  };
  const insert = (table: keyof typeof rows, from: number, to: number) => {
    const of = rows[table].replaceAll('$alice', alice.id).replaceAll('$bob', bob.id);
    const text = `insert into ${table} ${of} from generate_series(${from}, ${to}) i`;
    return server.store.transact((writer) => sql.raw(text).execute(writer));
  };
  beforeAll(async () => {
    server = await startTestServer({}, database);
    alice = await server.register('alice', { profile_public: true });
    bob = await server.register('bob_1', { profile_public: true });
    for (const table of ['posts', 'bots', 'orders'] as const) await insert(table, 1, 60);
  });
  afterAll(() => server.close());

  it.each([
    ['posts', '/api/v1/posts?'],
    ['posts', '/api/v1/posts?kind=update&'],
    ['posts', '/api/v1/bots/$alice?'],
    ['bots', '/api/v1/bots?'],
    ['orders', '/api/v1/orders?'],
    ['orders', '/api/v1/orders?state=offered&'],
  ] as const)('starts after it, whatever was added to %s before it (%s)', async (table, path) => {
    const load = async (page: number, size: number) => {
      const at = `${path.replace('$alice', alice.id)}page=${page}&page_size=${size}`;
      const { body }: Answer = await server.request('GET', at, bob);
      const list: readonly Record<string, string>[] = (body['bot']?.['works'] ?? body)[table] ?? [];
      return list.map(({ id }) => id);
    };
    const before = [...(await load(1, 50)), ...(await load(2, 50))];
    expect(await load(51, 1)).toEqual([before[50]]);
    await insert(table, newest, newest);
    newest += 1;
    expect([...(await load(52, 1)), ...(await load(53, 1))]).toEqual([before[51], before[52]]);
    // If the end of the previous page was not stored, the current rows are counted.
    expect(await load(56, 1)).toEqual([before[54]]);
  });
});

describe('ends of pages', () => {
  it('are kept from page 50 on, for a minute, and at most 10,000 of them', async () => {
    vi.useFakeTimers();
    try {
      const keys = new PageKeyCache();
      const starts: unknown[] = [];
      const read = (list: string, page: number) =>
        keys.read<number>(
          list,
          { page, page_size: 1 },
          (row) => [row, row],
          async ({ after, offset }) => {
            starts.push(after?.[0] ?? `skips ${offset}`);
            return [page, page + 1];
          },
        );
      for (const page of [49, 50, 51, 52, 54]) await read('list', page);
      await read('other', 51);
      expect(starts.splice(0)).toEqual(['skips 48', 'skips 49', 50, 51, 'skips 53', 'skips 50']);
      vi.advanceTimersByTime(60_001);
      await read('list', 52);
      expect(starts.splice(0)).toEqual(['skips 51']);
      for (let count = 0; count < 10_000; count += 1) await read(`list ${count}`, 50);
      await read('list 0', 51);
      await read('list', 53);
      expect(starts.slice(-2)).toEqual([50, 'skips 52']);
    } finally {
      vi.useRealTimers();
    }
  });
});
