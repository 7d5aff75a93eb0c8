import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

// The server has ten connections, of which two serve expensive reads.

const server = useTestServer({ PLATFORM_PUBLIC_URL: 'http://platform.test' });
let alice: RegisteredAgent;
let bob: RegisteredAgent;
beforeAll(async () => {
  alice = await server().register('alice', { profile_public: true });
  bob = await server().register('bob_1', { profile_public: true });
});

const agentPaths = (page: number) =>
  ['posts', `bots/${alice.id}`, 'bots', 'orders'].map((list) => `/api/v1/${list}?page=${page}`);
const searches = ['/api/v1/bots?q=alice', '/api/v1/bots?specialty=x'];
const costlyPages = ['/agents?q=alice', '/agents?specialty=x', '/agents?page=51', '/agents/alice?page=100'];

/** Occupies one slot per reader while `work` runs. */
async function holding(readers: readonly string[], work: () => Promise<void>): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const reads = readers.map((reader) => server().store.share.read(reader, () => ended.promise));
  await work().finally(ended.resolve);
  await Promise.all(reads);
}

const loadPage = async (path: string) => {
  const { status, headers } = await fetch(server().url + path);
  return [path, status, headers.get('retry-after')];
};

describe('searches and pages beyond the 50th', () => {
  it('wait for each other if the same agent reads them, and are refused in the end', async () => {
    await holding([alice.id], async () => {
      const own = [...searches, ...agentPaths(51)].map((path) => server().request('GET', path, alice));
      for (const path of [...searches, ...agentPaths(51)])
        expect((await server().request('GET', path, bob)).status, path).toBe(200);
      for (const path of [...agentPaths(1), ...agentPaths(50), '/api/v1/wallet', `/api/v1/bots/${bob.id}`])
        expect((await server().request('GET', path, alice)).status, path).toBe(200);
      for (const answer of await Promise.all(own)) {
        expectRefusal(answer, 'rate_limited');
        expect(answer.headers.get('retry-after')).toBe('5');
      }
    });
    expect((await server().request('GET', '/api/v1/posts?page=100000&page_size=50', alice)).status).toBe(200);
  });

  it('also do so for an address without a token', async () => {
    await holding(['127.0.0.1'], async () => {
      const waiting = Promise.all([...costlyPages, '/sitemap.xml'].map(loadPage));
      expect((await server().request('GET', '/api/v1/bots?q=alice', alice)).status).toBe(200);
      for (const path of ['/', '/agents', '/agents/alice', '/feed.xml'])
        expect(await loadPage(path)).toEqual([path, 200, null]);
      for (const path of ['/agents?page=101', '/agents?q=alice&page=101', '/agents/alice?page=101'])
        expect(await loadPage(path)).toEqual([path, 404, null]);
      for (const [path, ...answer] of await waiting) expect(answer, String(path)).toEqual([429, '5']);
    });
    expect(await loadPage('/agents?q=alice')).toEqual(['/agents?q=alice', 200, null]);
  });

  it('are only unavailable if others use the whole share for 5 s', async () => {
    await holding(['one', 'another'], async () => {
      const [searched, deep, page] = await Promise.all([
        server().request('GET', '/api/v1/bots?q=alice', alice),
        server().request('GET', '/api/v1/posts?page=51', bob),
        loadPage('/agents?q=alice'),
      ]);
      for (const answer of [searched, deep]) expectRefusal(answer, 'unavailable');
      expect(page).toEqual(['/agents?q=alice', 503, '2']);
    });
  });
});

describe('pages that skip more than 500 posts of authors that are not listed', () => {
  const list = async (path: string, agent?: RegisteredAgent) => {
    const { body } = await server().request('GET', `/api/v1/posts${path}`, agent);
    return ((body['posts'] ?? []) as readonly { readonly text: string }[]).map(({ text }) => text);
  };
  beforeAll(async () => {
    const carol = await server().register('carol', { profile_public: true });
    const insert = sql`
      insert into posts (id, author_id, kind, title, text, visibility, rights_confirmed, was_public, created_at, updated_at)
      select gen_random_uuid(), author_id, 'update', '', text || i, 'public', true, true, now() - i * interval '1 s' - age, now()
      from (values (${bob.id}::uuid, 'newer', 3, interval '0'), (${carol.id}, 'closed', 600, '1 day'), (${bob.id}, 'older', 3, '2 days'))
        made (author_id, text, count, age) cross join generate_series(1, count) i`;
    await server().store.transact((writer) => insert.execute(writer));
    await server().request('PATCH', '/api/v1/bots/me', { ...carol, body: { profile_public: false } });
  });

  it('contain the other posts, and are costly reads except for the first page, which all readers share', async () => {
    expect(await list('', alice)).toEqual(['newer1', 'newer2', 'newer3', 'older1', 'older2', 'older3']);
    for (const reader of [alice, bob])
      expect(await list('?page=2&page_size=3', reader)).toEqual(['older1', 'older2', 'older3']);
    expect((await (await fetch(server().url)).text()).match(/(newer|older)\d/g)).toHaveLength(6);
    await holding([alice.id], async () => {
      const [own, of, first, near] = await Promise.all([
        server().request('GET', '/api/v1/posts?page=2&page_size=3', alice),
        list('?page=2&page_size=3', bob),
        list('', alice),
        list('?page=2&page_size=1', alice),
      ]);
      expectRefusal(own, 'rate_limited');
      expect([of.length, first.length, near]).toEqual([3, 6, ['newer2']]);
    });
  });
});
