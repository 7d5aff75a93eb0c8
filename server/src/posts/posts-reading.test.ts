import { describe, expect, it } from 'vitest';
import {
  makePostRequests,
  missingId,
  postOf,
  postTextsIn,
  useServerWithAuthors,
} from '../../testing/scenarios/post-calls.ts';
import { type Answer, expectRefusal, type RegisteredAgent, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let alice: RegisteredAgent;
let bob: RegisteredAgent;
useServerWithAuthors((...given) => {
  [server, alice, bob] = given;
});

const { created, read, change, remove, list, setProfile } = makePostRequests(() => server);

describe('deleting a post', () => {
  it('immediately hides it from all readers', async () => {
    const id = await created(alice, { visibility: 'public', text: 'to be deleted' });
    const answer = await remove(alice, id);

    expect(answer).toMatchObject({ status: 200, body: { deleted: true } });
    for (const agent of [alice, bob]) {
      expectRefusal(await read(agent, id), 'not_found');
      expect(postTextsIn(await list(agent))).not.toContain('to be deleted');
    }
    expectRefusal(await remove(alice, id), 'not_found');
    expectRefusal(await change(alice, id, { text: 'y' }), 'not_found');
  });

  it('of another agent is not found, and has no effect', async () => {
    const id = await created(alice, { visibility: 'public' });

    expectRefusal(await remove(bob, id), 'not_found');
    expectRefusal(await remove(bob, missingId), 'not_found');
    expectRefusal(await remove(bob, 'x'), 'invalid_id');
    expect((await read(alice, id)).status).toBe(200);
  });
});

describe('reading a post', () => {
  it('shows others what is public, without the rights of its author', async () => {
    const id = await created(alice, { visibility: 'public', rights_confirmed: true });
    const seen = postOf(await read(bob, id));

    expect(postOf(await read(alice, id))).toEqual({ ...seen, rights_confirmed: true });
    expect(seen).not.toHaveProperty('rights_confirmed');
    expect((await read(bob, id.toUpperCase())).status).toBe(200);
  });

  it('of a private or hidden post is the same as of a post that never existed', async () => {
    const agent = await server.register('hiding', { profile_public: true });
    const [secret, hidden] = [await created(agent), await created(agent, { visibility: 'public' })];
    await setProfile(agent, false);
    const missing = await read(bob, missingId);

    expectRefusal(missing, 'not_found');
    for (const id of [secret, hidden]) expect(await read(bob, id)).toMatchObject({ status: 404, body: missing.body });
    await setProfile(agent, true);
    expect((await read(bob, hidden)).status).toBe(200);
    expectRefusal(await read(bob, secret), 'not_found');
  });

  it.each(['x', '01a1fdffc0dc7093b041e5d4cac41340', `{${missingId}}`])('refuses the id %j', async (id) => {
    expectRefusal(await read(bob, encodeURIComponent(id)), 'invalid_id');
  });

  it('requires a token', async () => {
    const id = await created(alice, { visibility: 'public' });

    expectRefusal(await server.request('GET', `/api/v1/posts/${id}`), 'unauthorized');
  });
});

describe('the list of posts', () => {
  it("has the agent's own posts and public ones of public profiles, newest first", async () => {
    const [one, two, closed] = [
      await server.register('list_one', { profile_public: true }),
      await server.register('list_two', { profile_public: true }),
      await server.register('list_closed', { profile_public: true }),
    ];
    server.pass(60_000);
    for (const [agent, text, visibility] of [
      [one, 'one-private', 'private'],
      [two, 'two-private', 'private'],
      [one, 'one-public', 'public'],
      [closed, 'closed-public', 'public'],
      [two, 'two-public', 'public'],
    ] as const) {
      await created(agent, { text, visibility });
      server.pass(1_000);
    }
    await setProfile(closed, false);
    const newest = async (agent: RegisteredAgent) => postTextsIn(await list(agent, 'page_size=50')).slice(0, 3);

    expect(await newest(one)).toEqual(['two-public', 'one-public', 'one-private']);
    expect(await newest(two)).toEqual(['two-public', 'one-public', 'two-private']);
    expect(await newest(closed)).toEqual(['two-public', 'closed-public', 'one-public']);
    expect((await newest(bob)).slice(0, 2)).toEqual(['two-public', 'one-public']);
  });

  it('can be limited to a kind', async () => {
    const agent = await server.register('narrowing');
    server.pass(60_000);
    await created(agent, { text: 'an update' });
    await created(agent, { text: 'a work', kind: 'portfolio' });

    expect(postTextsIn(await list(agent, 'kind=update'))[0]).toBe('an update');
    expect(postTextsIn(await list(agent, 'kind=portfolio'))[0]).toBe('a work');
  });

  it('has pages without gaps or duplicates, and marks the last one', async () => {
    const everything = postTextsIn(await list(alice, 'page_size=50')).length;
    const ids: string[] = [];
    let page: number | null = 1;
    while (page !== null) {
      const { body }: Answer = await list(alice, `page_size=7&page=${page}`);
      const posts: readonly Record<string, string>[] = body['posts'] ?? [];
      ids.push(...posts.map((post) => post['id'] ?? ''));
      expect(body).toMatchObject({ page, page_size: 7 });
      page = body['next_page'] ?? null;
    }

    expect(everything).toBeLessThan(50);
    expect(new Set(ids).size).toBe(everything);
    expect(ids).toHaveLength(everything);
    expect((await list(alice, `page_size=${everything}`)).body['next_page']).toBeNull();
    expect((await list(alice, 'page=100000')).body).toEqual({
      posts: [],
      page: 100_000,
      page_size: 20,
      next_page: null,
    });
  });

  it.each([
    ['page=0', 'invalid_pagination'],
    ['page=100001', 'invalid_pagination'],
    ['page_size=51', 'invalid_pagination'],
    ['page_size=0', 'invalid_pagination'],
    ['page=a', 'invalid_pagination'],
    ['kind=work', 'invalid_kind'],
    ['kind=', 'invalid_kind'],
    ['kind=update&kind=update', 'invalid_kind'],
    ['q=x', 'invalid_input'],
  ] as const)('refuses ?%s with %s', async (query, code) => {
    expectRefusal(await list(bob, query), code);
  });
});
