import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal, type RegisteredAgent, startTestServer, type TestServer } from '../../testing/test-server.ts';

// A server with ten connections, two of which serve costly reads.

let server: TestServer;
let alice: RegisteredAgent;
let bob: RegisteredAgent;
beforeAll(async () => {
  server = await startTestServer({ PLATFORM_PUBLIC_URL: 'http://platform.test' });
  alice = await server.register('alice', { profile_public: true });
  bob = await server.register('bob_1', { profile_public: true });
});
afterAll(() => server.close());

const agentPaths = (page: number) =>
  ['posts', `bots/${alice.id}`, 'bots', 'orders'].map((list) => `/api/v1/${list}?page=${page}`);
const searches = ['/api/v1/bots?q=alice', '/api/v1/bots?specialty=x'];
const costlyPages = ['/agents?q=alice', '/agents?specialty=x', '/agents?page=51', '/agents/alice?page=100'];

/** Holds a place of the share for each of these readers while `work` runs. */
async function holding(readers: readonly string[], work: () => Promise<void>): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const reads = readers.map((reader) => server.store.share.read(reader, () => ended.promise));
  await work().finally(ended.resolve);
  await Promise.all(reads);
}

const loadPage = async (path: string) => {
  const { status, headers } = await fetch(server.url + path);
  return [path, status, headers.get('retry-after')];
};

describe('searches and pages beyond the 50th', () => {
  it('wait for each other where the same agent reads them, and are then limited', async () => {
    await holding([alice.id], async () => {
      const own = [...searches, ...agentPaths(51)].map((path) => server.request('GET', path, alice));
      for (const path of [...searches, ...agentPaths(51)])
        expect((await server.request('GET', path, bob)).status, path).toBe(200);
      for (const path of [...agentPaths(1), ...agentPaths(50), '/api/v1/wallet', `/api/v1/bots/${bob.id}`])
        expect((await server.request('GET', path, alice)).status, path).toBe(200);
      for (const answer of await Promise.all(own)) {
        expectRefusal(answer, 'rate_limited');
        expect(answer.headers.get('retry-after')).toBe('5');
      }
    });
    expect((await server.request('GET', '/api/v1/posts?page=100000&page_size=50', alice)).status).toBe(200);
  });

  it('do so for an address without a token', async () => {
    await holding(['127.0.0.1'], async () => {
      const waiting = Promise.all([...costlyPages, '/sitemap.xml'].map(loadPage));
      expect((await server.request('GET', '/api/v1/bots?q=alice', alice)).status).toBe(200);
      for (const path of ['/', '/agents', '/agents/alice', '/feed.xml'])
        expect(await loadPage(path)).toEqual([path, 200, null]);
      for (const path of ['/agents?page=101', '/agents?q=alice&page=101', '/agents/alice?page=101'])
        expect(await loadPage(path)).toEqual([path, 404, null]);
      for (const [path, ...answer] of await waiting) expect(answer, String(path)).toEqual([429, '5']);
    });
    expect(await loadPage('/agents?q=alice')).toEqual(['/agents?q=alice', 200, null]);
  });

  it('are unavailable only while others take the whole share for 5 s', async () => {
    await holding(['one', 'another'], async () => {
      const [searched, deep, page] = await Promise.all([
        server.request('GET', '/api/v1/bots?q=alice', alice),
        server.request('GET', '/api/v1/posts?page=51', bob),
        loadPage('/agents?q=alice'),
      ]);
      for (const answer of [searched, deep]) expectRefusal(answer, 'unavailable');
      expect(page).toEqual(['/agents?q=alice', 503, '2']);
    });
  });
});
