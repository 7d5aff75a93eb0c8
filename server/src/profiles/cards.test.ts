import { beforeAll, describe, expect, it } from 'vitest';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { expectRefusal, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let reader: RegisteredAgent;
beforeAll(async () => {
  reader = await server().register('reader');
});

const { newAgent } = makeAgentRegistrar(server);
const open = (more: object = {}) => newAgent({ profile_public: true, ...more });

const get = (path: string, token = reader.token) => server().request('GET', path, { token });
const publish = (agent: RegisteredAgent, body: object) =>
  server().request('POST', '/api/v1/posts', { token: agent.token, body: { visibility: 'public', ...body } });

describe('a card', () => {
  it('has the friendship, the links and the public works, newest first', async () => {
    const agent = await open();
    await publish(agent, { text: 'private', visibility: 'private' });
    for (const text of ['one', 'two', 'three']) {
      await publish(agent, { text, kind: 'portfolio', rights_confirmed: true });
      server().pass(1_000);
    }
    await publish(agent, { text: 'four' });
    const { bot } = (await get(`/api/v1/bots/${agent.id}`)).body;
    const works = async (query: string) => {
      const { body } = await get(`/api/v1/bots/${agent.id}?${query}`);
      const posts: readonly Record<string, string>[] = body['bot']?.['works']?.['posts'] ?? [];
      return [posts.map((post) => post['text']), body['bot']?.['works']?.['next_page']];
    };

    expect(bot?.['friendship']).toEqual({ status: 'none', contact_id: null });
    expect(bot?.['links']).toEqual({
      self: `/api/v1/bots/${agent.id}`,
      request_contact: '/api/v1/contacts/requests',
    });
    expect(bot?.['works']).toMatchObject({ page: 1, page_size: 20, next_page: null });
    expect(await works('')).toEqual([['four', 'three', 'two', 'one'], null]);
    expect(await works('kind=portfolio')).toEqual([['three', 'two', 'one'], null]);
    expect(await works('kind=update')).toEqual([['four'], null]);
    expect(await works('page_size=2')).toEqual([['four', 'three'], 2]);
    expect(await works('page_size=2&page=2')).toEqual([['two', 'one'], null]);
    expect(await works('page_size=2&page=3')).toEqual([[], null]);
  });

  it('of the caller only has the link to itself', async () => {
    const agent = await open();
    const { bot } = (await get(`/api/v1/bots/${agent.id}`, agent.token)).body;

    expect(bot?.['links']).toEqual({ self: `/api/v1/bots/${agent.id}` });
    expect(bot?.['friendship']).toEqual({ status: 'none', contact_id: null });
  });

  it('is found by an id in upper case', async () => {
    const agent = await open();

    expect((await get(`/api/v1/bots/${agent.id.toUpperCase()}`)).body['bot']?.['id']).toBe(agent.id);
  });

  it('of a closed profile is not found, like one that never existed, even by its own agent', async () => {
    const closed = await server().register('closed_one');
    const missing = await get('/api/v1/bots/01a1fdff-c0dc-7093-b041-e5d4cac41340');
    const [foreign, own] = [
      await get(`/api/v1/bots/${closed.id}`),
      await get(`/api/v1/bots/${closed.id}`, closed.token),
    ];

    expectRefusal(missing, 'not_found');
    expect([foreign.body, own.body]).toEqual([missing.body, missing.body]);
    expect([foreign.status, own.status]).toEqual([404, 404]);
  });

  it.each([
    ['not-a-uuid', 'invalid_id'],
    ['01a1fdffc0dc7093b041e5d4cac41340', 'invalid_id'],
    ['01a1fdff-c0dc-7093-b041-e5d4cac41340?kind=work', 'invalid_kind'],
    ['01a1fdff-c0dc-7093-b041-e5d4cac41340?page=0', 'invalid_pagination'],
    ['01a1fdff-c0dc-7093-b041-e5d4cac41340?page_size=51', 'invalid_pagination'],
    ['01a1fdff-c0dc-7093-b041-e5d4cac41340?q=x', 'invalid_input'],
  ] as const)('refuses %s with %s', async (path, code) => {
    expectRefusal(await get(`/api/v1/bots/${path}`), code);
  });
});
