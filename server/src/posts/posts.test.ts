import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  expectRefusal,
  type RegisteredAgent,
  startTestServer,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let alice: RegisteredAgent;
let bob: RegisteredAgent;
beforeAll(async () => {
  server = await startTestServer();
  alice = await server.register('alice', { profile_public: true, display_name: 'Alice' });
  bob = await server.register('bob_1');
});
afterAll(() => server.close());

const missingId = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
const create = (agent: RegisteredAgent, body: unknown) =>
  server.request('POST', '/api/v1/posts', { token: agent.token, body });
const read = (agent: RegisteredAgent, id: string) =>
  server.request('GET', `/api/v1/posts/${id}`, { token: agent.token });
const change = (agent: RegisteredAgent, id: string, body: unknown) =>
  server.request('PATCH', `/api/v1/posts/${id}`, { token: agent.token, body });
const remove = (agent: RegisteredAgent, id: string) =>
  server.request('DELETE', `/api/v1/posts/${id}`, { token: agent.token });
const list = (agent: RegisteredAgent, query = '') =>
  server.request('GET', `/api/v1/posts?${query}`, { token: agent.token });
const setProfile = (agent: RegisteredAgent, profile_public: boolean) =>
  server.request('PATCH', '/api/v1/bots/me', { token: agent.token, body: { profile_public } });
const postOf = ({ body }: Answer): Record<string, unknown> => body['post'] ?? {};
const texts = ({ body }: Answer): string[] => {
  const posts: readonly Record<string, string>[] = body['posts'] ?? [];
  return posts.map((post) => post['text'] ?? '');
};

async function created(agent: RegisteredAgent, body: object = {}): Promise<string> {
  const answer = await create(agent, { text: 'x', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body['post']?.['id'] ?? '';
}

describe('creating a post', () => {
  it('answers with the post and the stated defaults', async () => {
    const answer = await create(alice, { text: 'Hello' });

    expect(answer.status).toBe(201);
    expect(postOf(answer)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      author: { id: alice.id, handle: 'alice', display_name: 'Alice' },
      kind: 'update',
      title: '',
      text: 'Hello',
      visibility: 'private',
      state: 'private',
      rights_confirmed: false,
      attachments: [],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: postOf(answer)['created_at'],
    });
    expect((await read(alice, answer.body['post']?.['id'] ?? '')).body).toEqual(answer.body);
  });

  it('keeps every member as it was sent', async () => {
    const sent = {
      text: ' e\u0301\n\u202e ',
      title: ' ',
      kind: 'portfolio',
      visibility: 'public',
      rights_confirmed: true,
    };
    const answer = await create(alice, { ...sent, attachment_ids: [] });

    expect(postOf(answer)).toMatchObject({ ...sent, state: 'public', attachments: [] });
  });

  it('counts lengths in code points, and takes them up to the limit', async () => {
    expect((await create(alice, { text: '🦊'.repeat(8_000), title: '🦊'.repeat(160) })).status).toBe(201);
    expectRefusal(await create(alice, { text: '🦊'.repeat(8_001) }), 'invalid_text');
    expectRefusal(await create(alice, { text: 'x', title: '🦊'.repeat(161) }), 'invalid_title');
  });

  it('is not idempotent', async () => {
    expect(await created(bob, { text: 'twice' })).not.toBe(await created(bob, { text: 'twice' }));
  });

  it.each([
    [{}, 'invalid_text'],
    [{ text: '' }, 'invalid_text'],
    [{ text: 1 }, 'invalid_text'],
    [{ text: null }, 'invalid_text'],
    [{ text: 'a\0b' }, 'invalid_text'],
    ['{"text": "\\ud800"}', 'invalid_text'],
    [{ text: 'x', title: 1 }, 'invalid_title'],
    [{ text: 'x', title: null }, 'invalid_title'],
    [{ text: 'x', kind: 'work' }, 'invalid_kind'],
    [{ text: 'x', kind: null }, 'invalid_kind'],
    [{ text: 'x', kind: '' }, 'invalid_kind'],
    [{ text: 'x', visibility: 'hidden' }, 'invalid_visibility'],
    [{ text: 'x', visibility: true }, 'invalid_visibility'],
    [{ text: 'x', rights_confirmed: 'true' }, 'invalid_field'],
    [{ text: 'x', rights_confirmed: 1 }, 'invalid_field'],
    [{ text: 'x', attachment_ids: 'none' }, 'invalid_field'],
    [{ text: 'x', attachment_ids: null }, 'invalid_field'],
    [{ text: 'x', attachment_ids: ['x'] }, 'invalid_field'],
    [{ text: 'x', attachment_ids: [missingId, missingId] }, 'invalid_field'],
    [{ text: 'x', attachment_ids: [missingId, missingId.toUpperCase()] }, 'invalid_field'],
    [
      {
        text: 'x',
        attachment_ids: Array.from({ length: 11 }, (_, index) => missingId.replace(/..$/, `${10 + index}`)),
      },
      'invalid_field',
    ],
    [[], 'invalid_field'],
    ['"x"', 'invalid_field'],
    [{ text: 'x', state: 'public' }, 'unknown_fields'],
    [{ text: '', tags: [] }, 'unknown_fields'],
    ['{', 'invalid_input'],
    [{ text: 'x', attachment_ids: [missingId] }, 'invalid_attachment'],
    [{ text: 'x', kind: 'portfolio', visibility: 'public' }, 'rights_required'],
    [{ text: 'x', visibility: 'public', attachment_ids: [missingId] }, 'publication_rights_required'],
    [{ text: 'x', kind: 'portfolio', visibility: 'public', attachment_ids: [missingId] }, 'rights_required'],
    [{ text: 'x', visibility: 'public', rights_confirmed: true, attachment_ids: [missingId] }, 'invalid_attachment'],
  ] as const)('refuses %j with %s', async (body, code) => {
    expectRefusal(await create(alice, body), code);
  });

  it('as public needs an open profile, whatever else is wrong with it', async () => {
    for (const more of [{}, { rights_confirmed: true }, { kind: 'portfolio' }, { attachment_ids: [missingId] }])
      expectRefusal(await create(bob, { text: 'x', visibility: 'public', ...more }), 'invalid_visibility');
  });

  it('leaves nothing behind when it is refused', async () => {
    const agent = await server.register('refused', { profile_public: true });
    await create(agent, { text: 'left behind', attachment_ids: [missingId] });
    const rights = { visibility: 'public', rights_confirmed: true };
    await create(agent, { text: 'left behind', ...rights, attachment_ids: [missingId] });

    expect((await list(agent, 'page_size=50')).body['posts']).not.toContainEqual(
      expect.objectContaining({ text: 'left behind' }),
    );
  });
});

describe('changing a post', () => {
  it('alters what is sent, and when it was', async () => {
    const id = await created(alice, { text: 'before', title: 'kept' });
    const before = postOf(await read(alice, id));
    server.pass(5_000);
    const answer = await change(alice, id, { text: 'after', kind: 'portfolio', rights_confirmed: true });

    expect(answer.status).toBe(200);
    expect(postOf(answer)).toEqual({
      ...before,
      text: 'after',
      kind: 'portfolio',
      rights_confirmed: true,
      updated_at: expect.not.stringMatching(String(before['updated_at'])),
    });
    expect((await read(alice, id)).body).toEqual(answer.body);
  });

  it('that changes nothing is a change of nothing', async () => {
    const id = await created(alice, { text: 'same' });
    const before = (await read(alice, id)).body;
    server.pass(5_000);

    for (const body of [{}, { text: 'same' }, { attachment_ids: [] }, { visibility: 'private' }]) {
      expect(await change(alice, id, body)).toMatchObject({ status: 200, body: before });
    }
  });

  it.each([
    [{ text: '' }, 'invalid_text'],
    [{ text: null }, 'invalid_text'],
    [{ title: 'x'.repeat(161) }, 'invalid_title'],
    [{ kind: 'x' }, 'invalid_kind'],
    [{ visibility: 'x' }, 'invalid_visibility'],
    [{ rights_confirmed: null }, 'invalid_field'],
    [{ attachment_ids: ['x'] }, 'invalid_field'],
    [{ author: 'x' }, 'unknown_fields'],
    [{ kind: 'portfolio', visibility: 'public' }, 'rights_required'],
    [{ attachment_ids: [missingId] }, 'immutable_attachments'],
  ] as const)('refuses %j with %s', async (body, code) => {
    const id = await created(alice);

    expectRefusal(await change(alice, id, body), code);
    expect(postOf(await read(alice, id))).toMatchObject({ text: 'x', kind: 'update', visibility: 'private' });
  });

  it('counts what is stored together with what is sent', async () => {
    const work = await created(alice, { kind: 'portfolio' });
    expectRefusal(await change(alice, work, { visibility: 'public' }), 'rights_required');
    const update = await created(alice, { visibility: 'public' });
    expectRefusal(await change(alice, update, { kind: 'portfolio' }), 'rights_required');
    const confirmed = await created(alice, { kind: 'portfolio', visibility: 'public', rights_confirmed: true });
    expectRefusal(await change(alice, confirmed, { rights_confirmed: false }), 'rights_required');

    expect((await change(alice, work, { visibility: 'public', rights_confirmed: true })).status).toBe(200);
    expect((await change(alice, confirmed, { rights_confirmed: false, visibility: 'private' })).status).toBe(200);
    expect((await change(alice, update, { kind: 'portfolio', rights_confirmed: true })).status).toBe(200);
  });

  it('to public needs an open profile; a hidden post may be corrected and taken back', async () => {
    const agent = await server.register('closing', { profile_public: true });
    const id = await created(agent, { visibility: 'public' });
    const other = await created(agent);
    await setProfile(agent, false);

    expect(postOf(await read(agent, id))).toMatchObject({ visibility: 'public', state: 'hidden' });
    expectRefusal(await change(agent, other, { visibility: 'public' }), 'invalid_visibility');
    expectRefusal(await change(agent, id, { visibility: 'public' }), 'invalid_visibility');
    expect((await change(agent, id, {})).status).toBe(200);
    expect(postOf(await change(agent, id, { text: 'y' }))).toMatchObject({ text: 'y', state: 'hidden' });
    expect(postOf(await change(agent, id, { visibility: 'private' }))).toMatchObject({ state: 'private' });
  });

  it('of another agent looks like a change of nothing that ever was', async () => {
    const [foreign, own, deleted] = [
      await created(alice, { visibility: 'public' }),
      await created(alice),
      await created(bob),
    ];
    await remove(bob, deleted);
    const missing = await change(bob, missingId, { text: 'y' });

    expectRefusal(missing, 'not_found');
    for (const id of [foreign, own, deleted]) {
      expect(await change(bob, id, { text: 'y' })).toMatchObject({ status: 404, body: missing.body });
      expect(await change(bob, id, {})).toMatchObject({ status: 404, body: missing.body });
    }
    // The shape is looked at before the object (D-20).
    expectRefusal(await change(bob, missingId, { text: '' }), 'invalid_text');
    expectRefusal(await change(bob, 'x', { text: 'y' }), 'invalid_id');
  });
});

describe('deleting a post', () => {
  it('takes it from everybody, once', async () => {
    const id = await created(alice, { visibility: 'public', text: 'to be deleted' });
    const answer = await remove(alice, id);

    expect(answer).toMatchObject({ status: 200, body: { deleted: true } });
    for (const agent of [alice, bob]) {
      expectRefusal(await read(agent, id), 'not_found');
      expect(texts(await list(agent))).not.toContain('to be deleted');
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

  it('of a private or hidden one looks like one of a post that never was', async () => {
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

  it('needs a token', async () => {
    const id = await created(alice, { visibility: 'public' });

    expectRefusal(await server.request('GET', `/api/v1/posts/${id}`), 'unauthorized');
  });
});

describe('the list of posts', () => {
  it('has own posts of any visibility and public ones of open profiles, newest first', async () => {
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
    const newest = async (agent: RegisteredAgent) => texts(await list(agent, 'page_size=50')).slice(0, 3);

    expect(await newest(one)).toEqual(['two-public', 'one-public', 'one-private']);
    expect(await newest(two)).toEqual(['two-public', 'one-public', 'two-private']);
    expect(await newest(closed)).toEqual(['two-public', 'closed-public', 'one-public']);
    expect((await newest(bob)).slice(0, 2)).toEqual(['two-public', 'one-public']);
  });

  it('can be narrowed to a kind', async () => {
    const agent = await server.register('narrowing');
    server.pass(60_000);
    await created(agent, { text: 'an update' });
    await created(agent, { text: 'a work', kind: 'portfolio' });

    expect(texts(await list(agent, 'kind=update'))[0]).toBe('an update');
    expect(texts(await list(agent, 'kind=portfolio'))[0]).toBe('a work');
  });

  it('comes in pages without gaps or doubles, and the last one says so', async () => {
    const everything = texts(await list(alice, 'page_size=50')).length;
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
