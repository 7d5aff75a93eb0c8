import { beforeAll, describe, expect, it } from 'vitest';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { type Answer, expectRefusal, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let reader: RegisteredAgent;
beforeAll(async () => {
  reader = await server().register('reader');
});

const { newAgent } = makeAgentRegistrar(server);
const open = (more: object = {}) => newAgent({ profile_public: true, ...more });

const get = (path: string, token = reader.token) => server().request('GET', path, { token });
const search = (parameters: Record<string, string>, token = reader.token) =>
  get(`/api/v1/bots?${new URLSearchParams(parameters)}`, token);
const botsOf = ({ body }: Answer): readonly Record<string, string>[] => body['bots'] ?? [];
const handles = (answer: Answer) => botsOf(answer).map((bot) => bot['handle']);
const found = async (parameters: Record<string, string>) => handles(await search({ page_size: '50', ...parameters }));
const change = (agent: RegisteredAgent, body: object) =>
  server().request('PATCH', '/api/v1/bots/me', { token: agent.token, body });
const publish = (agent: RegisteredAgent, body: object) =>
  server().request('POST', '/api/v1/posts', { token: agent.token, body: { visibility: 'public', ...body } });

describe('the list of bots', () => {
  it('has cards with every member of a bot and the friendship, and no secret', async () => {
    const agent = await open({ specialty: 'card watching', bio: 'b' });
    const { body } = await search({ q: 'card watching' });
    const passport: object = (await get('/api/v1/bots/me', agent.token)).body['bot'] ?? {};

    expect(body).toEqual({
      bots: [{ ...passport, friendship: { status: 'none', contact_id: null } }],
      page: 1,
      page_size: 20,
      next_page: null,
    });
  });

  it('only has active agents with a public profile', async () => {
    const [closed, shown, suspended] = [await open(), await open(), await open()];
    await change(closed, { profile_public: false });
    await server().store.transact((writer) =>
      writer.updateTable('bots').set({ suspended_at: new Date() }).where('id', '=', suspended.id).execute(),
    );
    const all = await found({ q: 'agent_' });

    expect(all).toContain(shown.handle);
    expect(all).not.toContain(closed.handle);
    expect(all).not.toContain(suspended.handle);
    expect(await found({})).not.toContain('reader');
  });

  it('is sorted by display name and then by handle, by code points', async () => {
    const names = ['b', 'a', 'B', 'ä', 'Z', 'a', '\u{1f98a}', '\uffee', ' a', 'a b', 'a-b', 'A'];
    for (const name of names) await open({ display_name: name, specialty: 'sorting' });
    const answer = await search({ specialty: 'sorting', page_size: '50' });
    const shown = botsOf(answer).map((bot): [string, string] => [bot['display_name'] ?? '', bot['handle'] ?? '']);
    const points = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0);
    const before = (one: number[], other: number[]): number => {
      const at = one.findIndex((point, index) => point !== other[index]);
      return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
    };
    const sorted = shown.toSorted(
      ([name, handle], [otherName, otherHandle]) =>
        before(points(name), points(otherName)) || before(points(handle), points(otherHandle)),
    );

    expect(shown).toHaveLength(names.length);
    expect(shown).toEqual(sorted);
  });

  it('has pages, and marks the last one, even if it is full', async () => {
    for (let count = 0; count < 4; count += 1) await open({ specialty: 'paging' });
    const pages = await Promise.all(
      ['1', '2', '3'].map((page) => search({ specialty: 'paging', page_size: '2', page })),
    );

    expect(
      pages.map((answer) => [
        botsOf(answer).length,
        answer.body['page'],
        answer.body['page_size'],
        answer.body['next_page'],
      ]),
    ).toEqual([
      [2, 1, 2, 2],
      [2, 2, 2, null],
      [0, 3, 2, null],
    ]);
    expect(new Set(pages.flatMap(handles)).size).toBe(4);
  });

  it.each([
    ['page=0', 'invalid_pagination'],
    ['page=1001', 'invalid_pagination'],
    ['page=1.5', 'invalid_pagination'],
    ['page=', 'invalid_pagination'],
    ['page=x', 'invalid_pagination'],
    ['page=1&page=1', 'invalid_pagination'],
    ['page_size=0', 'invalid_pagination'],
    ['page_size=51', 'invalid_pagination'],
    ['page_size=-1', 'invalid_pagination'],
    ['page_size=99999999999999999999', 'invalid_pagination'],
    [`q=${'x'.repeat(161)}`, 'invalid_search'],
    [`specialty=${'x'.repeat(161)}`, 'invalid_search'],
    ['q=a&q=b', 'invalid_search'],
    ['q=%00', 'invalid_search'],
    ['kind=update', 'invalid_input'],
    ['sort=handle', 'invalid_input'],
  ] as const)('refuses ?%s with %s', async (query, code) => {
    expectRefusal(await get(`/api/v1/bots?${query}`), code);
  });

  it('accepts the longest search, counted in code points, and the last page', async () => {
    expect((await search({ q: '\u{1f98a}'.repeat(160), specialty: 'x'.repeat(160) })).status).toBe(200);
    expect((await search({ page: '1000', page_size: '50' })).body).toEqual({
      bots: [],
      page: 1000,
      page_size: 50,
      next_page: null,
    });
  });

  it('requires a token', async () => {
    expectRefusal(await server().request('GET', '/api/v1/bots'), 'unauthorized');
  });
});

describe('a search', () => {
  it.each(['handle', 'display_name', 'specialty', 'bio'])('finds a part of the %s', async (field) => {
    const word = `find_${field}_me`;
    const agent = await open({ ...(field === 'handle' ? {} : { [field]: `xx${word.toUpperCase()}yy` }) });
    const q = field === 'handle' ? agent.handle.slice(2) : word;

    expect(await found({ q })).toEqual([agent.handle]);
  });

  it.each(['title', 'text'])('finds a part of the %s of a public work', async (field) => {
    const agent = await open();
    await publish(agent, { text: 't', [field]: `Work_${field}_1` });

    expect(await found({ q: `ork_${field}_` })).toEqual([agent.handle]);
  });

  it('does not find a character description, a private, a changed or a deleted post', async () => {
    const agent = await open({ character_description: 'secretfox' });
    await publish(agent, { text: 'secretprivate', visibility: 'private' });
    const { body } = await publish(agent, { text: 'secretbefore' });
    const path = `/api/v1/posts/${body['post']?.['id']}`;
    await server().request('PATCH', path, { token: agent.token, body: { text: 'secretafter' } });

    for (const q of ['secretfox', 'secretprivate', 'secretbefore']) expect(await found({ q }), q).toEqual([]);
    expect(await found({ q: 'secretafter' })).toEqual([agent.handle]);
    await server().request('PATCH', path, { token: agent.token, body: { visibility: 'private' } });
    expect(await found({ q: 'secretafter' })).toEqual([]);
    await server().request('PATCH', path, { token: agent.token, body: { visibility: 'public' } });
    expect(await found({ q: 'secretafter' })).toEqual([agent.handle]);
    await server().request('DELETE', path, { token: agent.token });
    expect(await found({ q: 'secretafter' })).toEqual([]);
  });

  it('finds a profile by its current text', async () => {
    const agent = await open({ bio: 'formerly' });
    await change(agent, { bio: 'nowadays' });

    expect(await found({ q: 'formerly' })).toEqual([]);
    expect(await found({ q: 'nowadays' })).toEqual([agent.handle]);
  });

  it('searches each field separately', async () => {
    await open({ display_name: 'leftpart', specialty: 'rightpart' });

    expect(await found({ q: 'leftpartrightpart' })).toEqual([]);
    expect(await found({ q: 'leftpart rightpart' })).toEqual([]);
  });

  it.each([
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδός'.normalize('NFD').replace('\u0301', '')],
    ['KELVIN \u212a', 'kelvin k'],
    ['КИРИЛЛИЦА', 'кириллица'],
    ['日本語', '本'],
    ['naïve 🦊', 'NAÏVE 🦊'],
    ['100%_off\\now', '%_OFF\\N'],
    [`it's "quoted"; --`, `'S "QUOTED"; --`],
    ['tab\there', '\t'],
    ['{a,b}', '{A,'],
  ])('finds %j by %j', async (bio, q) => {
    const agent = await open({ bio });

    expect(await found({ q })).toContain(agent.handle);
    expect(await found({ specialty: q })).not.toContain(agent.handle);
    await change(agent, { specialty: bio });
    expect(await found({ specialty: q })).toContain(agent.handle);
  });

  it.each(['%', '_', '\\', '%%', 'a%z', '100\\%', '*', '.*', '\\d'])(
    'treats %j only as literal characters',
    async (q) => {
      const agent = await open({ bio: 'wild 100 abcz' });

      expect(await found({ q: `wild${q}` })).not.toContain(agent.handle);
    },
  );

  it('combines q and specialty, and ignores an empty one', async () => {
    const both = await open({ specialty: 'combining', bio: 'apples' });
    await open({ specialty: 'combining', bio: 'pears' });
    await open({ specialty: 'other', bio: 'apples combining' });

    expect(await found({ specialty: 'combining', q: 'apples' })).toEqual([both.handle]);
    expect(await found({ specialty: 'combining', q: '' })).toHaveLength(2);
    expect(await found({ specialty: '', q: 'combining' })).toHaveLength(3);
  });

  it('returns an agent once, however many of its texts match', async () => {
    const agent = await open({ bio: 'manifold' });
    for (const text of ['manifold one', 'manifold two', 'manifold three']) await publish(agent, { text });

    expect(await found({ q: 'manifold' })).toEqual([agent.handle]);
  });
});
