import { beforeAll, describe, expect, it } from 'vitest';
import { makeOperatorActions } from '../../testing/scenarios/care.ts';
import { findPageAddresses, loadPage, makePublishRequests, parsePageShape } from '../../testing/scenarios/pages.ts';
import { type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

let alice: RegisteredAgent;
let bob: RegisteredAgent;
let work: string;
let picture: string;
let avatar: string;
let gone = 0;

const server = useTestServer();
const { upload, publish, changeProfile, suspend } = makePublishRequests(server);
const { hidePost, hideFile, erase } = makeOperatorActions(server);
const load = (path: string, init?: RequestInit) => loadPage(server().url, path, init);
const open = (handle: string) => server().register(handle, { profile_public: true });

beforeAll(async () => {
  const bio = 'I draw maps. See https://example.org/maps.';
  alice = await server().register('alice', { display_name: 'Alice', profile_public: true, specialty: 'Maps', bio });
  bob = await server().register('bob_1', { display_name: 'Bob', profile_public: true });
  avatar = await upload(alice, 'avatar');
  await changeProfile(alice, {
    avatar_attachment_id: avatar,
    character_attachment_id: await upload(alice, 'character'),
  });
  picture = await upload(alice, 'portfolio');
  const attachment_ids = [picture, await upload(alice, 'portfolio')];
  work = await publish(alice, {
    kind: 'portfolio',
    title: 'A map of the Harz',
    text: 'Contour lines.',
    attachment_ids,
  });
  await publish(bob, { text: 'Bob was here.' });
});

const everyPage = () => ['/', '/agents', '/agents?q=maps', '/agents/alice', `/posts/${work}`, '/about'];

describe('the public pages', () => {
  it('show works, profiles and their pictures without a token', async () => {
    const [front, list, profile, post] = await Promise.all(
      ['/', '/agents', '/agents/alice', `/posts/${work}`].map((path) => load(path)),
    );

    expect(front?.text).toContain('A map of the Harz');
    expect(front?.text).toContain('Bob was here.');
    expect(list?.text).toContain('/agents/alice');
    expect(list?.text).toContain('/agents/bob_1');
    expect(profile?.text).toContain('A map of the Harz');
    expect(profile?.text).not.toContain('Bob was here.');
    expect(post?.text).toContain('Contour lines.');
    expect(findPageAddresses(post ?? (await load('/')))).toContain(`/api/v1/attachments/${picture}/preview`);
    expect(findPageAddresses(profile ?? (await load('/')))).toContain(`/api/v1/attachments/${avatar}/preview`);
  });

  it('are complete HTML with one main heading, headings in order, and landmarks', async () => {
    for (const path of everyPage()) {
      const { status, headers, text } = await load(path);
      const levels = [...text.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));

      expect([status, headers.get('content-type')], path).toEqual([200, 'text/html; charset=utf-8']);
      expect(
        parsePageShape(text).filter((tag) => /^(main|header class|footer|nav|h1)/.test(tag)).length,
        path,
      ).toBeGreaterThan(3);
      expect(
        levels.filter((level) => level === 1),
        path,
      ).toHaveLength(1);
      expect(
        levels.every((level, at) => at === 0 || level <= (levels[at - 1] ?? 0) + 1),
        `${path} ${levels}`,
      ).toBe(true);
      expect(text, path).toContain('<html lang="en">');
      expect(text, path).toContain('A profile is no proof of its owner’s identity');
    }
  });

  it('only allow their own style and pictures, and have no script and no inline style', async () => {
    const { headers, text } = await load('/agents/alice');

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text).not.toMatch(/\sstyle=|<style|\son[a-z]+=|<script(?! type="application\/ld\+json")/);
  });

  it('only link to existing pages, and to other sites only where an agent wrote the address', async () => {
    const pages = await Promise.all(everyPage().map((path) => load(path)));
    const addresses = new Set(pages.flatMap(findPageAddresses).filter((address) => !address.startsWith('#')));
    const own = [...addresses].filter((address) => address.startsWith('/'));
    const dead = await Promise.all(own.map(async (address) => [address, (await load(address)).status] as const));

    expect(own.length).toBeGreaterThan(10);
    expect(dead.filter(([, status]) => status !== 200)).toEqual([]);
    expect([...addresses].filter((address) => !address.startsWith('/'))).toEqual([
      'https://example.org/maps',
      'https://nodejs.org/',
    ]);
    expect(pages[3]?.text).toContain(
      '<a href="https://example.org/maps" rel="nofollow ugc noopener noreferrer">https://example.org/maps</a>.',
    );
  });

  it('contain no file names, friendships and keys', async () => {
    const { token } = bob;
    const asked = await server().request('POST', '/api/v1/contacts/requests', {
      token,
      body: { recipient_id: alice.id },
    });
    const own = (await server().request('GET', '/api/v1/bots/me', { token: alice.token })).body['bot'] ?? {};
    const texts = (await Promise.all([...everyPage(), '/feed.xml', '/agents/alice/feed.xml'].map((path) => load(path))))
      .map(({ text }) => text)
      .join('');

    expect(asked.status, JSON.stringify(asked.body)).toBeLessThan(300);
    for (const secret of [
      'zsecret',
      String(asked.body['contact']?.['contact_id']),
      String(own['encryption_public_key']),
      alice.id,
      bob.id,
    ]) {
      expect(texts).not.toContain(secret);
    }
  });

  it('describe themselves to other programs', async () => {
    const { text } = await load('/agents/alice');
    const found = JSON.parse(/<script type="application\/ld\+json">([^<]*)</.exec(text)?.[1] ?? '');

    expect(found).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'ProfilePage',
      mainEntity: { name: 'Alice' },
    });
    expect(text).toContain('<meta property="og:title" content="Alice (@alice) · Agent Platform">');
    expect(text).toContain(
      `<meta property="og:image" content="http://platform.test/api/v1/attachments/${avatar}/preview">`,
    );
  });

  it('use the text of an update without a title as page title, and link each card once', async () => {
    const update = await publish(bob, { text: 'Gone fishing.' });
    const post = await load(`/posts/${update}`);
    const front = await load('/');

    expect(post.text).toContain('<title>Gone fishing. · Bob · Agent Platform</title>');
    expect(post.text).toContain('<h1 class="unseen"><bdi>An update by Bob</bdi></h1>');
    expect(findPageAddresses(front).filter((address) => address === `/posts/${work}`)).toHaveLength(1);
  });

  it('mark demonstrations, and exclude search engines from them', async () => {
    const demo = await open('demo');
    await server().store.transact((writer) =>
      writer.updateTable('bots').set({ is_demo: true }).where('id', '=', demo.id).execute(),
    );

    for (const path of ['/agents/demo', `/posts/${await publish(demo, {})}`]) {
      const { text } = await load(path);
      expect(text).toContain('Demonstration</span>');
      expect(text).toContain('<meta name="robots" content="noindex">');
    }
  });
});

describe('what is not public', () => {
  it('is the same page, whatever the reason', async () => {
    const [closed, suspended, erased] = [await open('closed'), await open('suspended'), await open('erased')];
    const ofThem = [await publish(closed), await publish(suspended), await publish(erased)];
    const [own, deleted, hidden] = [
      await publish(alice, { visibility: 'private' }),
      await publish(alice),
      await publish(alice),
    ];
    expect((await load('/agents/closed')).status).toBe(200);
    await changeProfile(closed, { profile_public: false });
    await suspend(suspended);
    await erase(erased);
    await hidePost(hidden);
    await server().request('DELETE', `/api/v1/posts/${deleted}`, { token: alice.token });
    const works = [...ofThem, own, deleted, hidden];
    const ids = [...works, '01a1fdff-c0dc-7093-b041-e5d4cac41340', 'x', '%00', '%F0%9F%98%80'];
    const handles = ['closed', 'suspended', 'erased', 'missing', 'Alice', 'a%20b', 'a%2Fb', '%27', 'x'.repeat(5_000)];
    const paths = [
      ...handles.flatMap((handle) => [`/agents/${handle}`, `/agents/${handle}/feed.xml`]),
      ...ids.map((id) => `/posts/${id}`),
      '/agents/alice?page=2',
      '/agents?page=0',
      '/sitemap.xml',
    ];
    const answers = await Promise.all(paths.map((path) => load(path)));
    const whole = answers.map(({ status, headers, text }) => ({
      status,
      text,
      headers: [...headers].filter(([name]) => name !== 'date' && name !== 'request-id'),
    }));

    expect(whole[0]).toMatchObject({ status: 404 });
    expect(whole[0]?.text).toContain('No public page has this address.');
    for (const [at, answer] of whole.entries()) expect(answer, paths[at]).toEqual(whole[0]);
    const lists = (await Promise.all(['/', '/agents', '/feed.xml', '/agents?q=closed'].map((path) => load(path))))
      .map(({ text }) => text)
      .join('');
    for (const name of ['/agents/closed', '/agents/suspended', '/agents/erased', ...works])
      expect(lists).not.toContain(name);
  });

  it.each<[string, number[], (made: { agent: RegisteredAgent; post: string; file: string }) => Promise<unknown>]>([
    ['its author closes its profile', [404, 404, 404], ({ agent }) => changeProfile(agent, { profile_public: false })],
    ['its author is suspended', [404, 404, 404], ({ agent }) => suspend(agent)],
    ['its author is erased', [404, 404, 404], ({ agent }) => erase(agent)],
    ['the operator hides the post', [200, 404, 404], ({ post }) => hidePost(post)],
    ['the operator hides the file', [200, 200, 404], ({ file }) => hideFile(file)],
  ])('disappears with its pictures when %s, also from revalidating caches', async (_, statuses, change) => {
    gone += 1;
    const agent = await open(`gone_${gone}`);
    const file = await upload(agent, 'portfolio');
    const post = await publish(agent, { attachment_ids: [file] });
    const picture = `/api/v1/attachments/${file}/preview`;
    const own = `/agents/gone_${gone}`;
    const paths = [own, `/posts/${post}`, picture, '/', '/feed.xml', `${own}/feed.xml`];
    const before = await Promise.all(paths.map((path) => load(path)));
    await change({ agent, post, file });
    const tag = (at: number) => ({ 'if-none-match': before[at]?.headers.get('etag') ?? '' });
    const after = await Promise.all(paths.map((path, at) => load(path, { headers: tag(at) })));

    expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(after.slice(0, 3).map(({ status }) => status)).toEqual(statuses);
    for (const [at, { text }] of after.entries()) {
      if (at !== 2) expect(before[at]?.text).toContain(picture);
      expect(text).not.toContain(picture);
    }
  });

  it('includes the avatar of a profile once the operator hides it', async () => {
    const agent = await open('faceless');
    const face = await upload(agent, 'avatar');
    await changeProfile(agent, { avatar_attachment_id: face });
    const post = await publish(agent);
    const pages = () => Promise.all(['/agents/faceless', `/posts/${post}`, '/agents', '/'].map((path) => load(path)));
    for (const { text } of await pages()) expect(text).toContain(face);

    await hideFile(face);

    for (const { status, text } of await pages()) expect([status, text.includes(face)]).toEqual([200, false]);
  });
});

describe('a page of a list', () => {
  it('has 20 works of a profile or 24 agents, and links to the adjacent pages', async () => {
    const dora = await server().register('dora', { profile_public: true, display_name: 'Dora' });
    for (let at = 1; at <= 21; at += 1) await publish(dora, { title: `Work ${at}.` });
    for (let at = 1; at <= 24; at += 1)
      await server().register(`many_${at}`, { profile_public: true, specialty: 'being many' });
    const [first, second, third] = await Promise.all([1, 2, 3].map((page) => load(`/agents/dora?page=${page}`)));
    const agents = await Promise.all([1, 2].map((page) => load(`/agents?q=being+many&page=${page}`)));
    const titles = (text = '') => [...text.matchAll(/Work \d+\./g)].length;

    expect([titles(first?.text), titles(second?.text), third?.status]).toEqual([20, 1, 404]);
    expect(first?.text).toContain('<link rel="next" href="/agents/dora?page=2">');
    expect(second?.text).toContain('<link rel="prev" href="/agents/dora">');
    expect(second?.text).toContain('<meta name="robots" content="noindex">');
    expect(agents.map(({ status }) => status)).toEqual([200, 404]);
    expect((await load('/agents?page=1')).text).toContain('href="/agents?page=2"');
    expect((await load('/agents?page=2&specialty=')).text).toContain('rel="prev" href="/agents"');
  });

  it.each([
    ['a search without a match', '/agents?q=zzzz', 'No agent matches “<bdi>zzzz</bdi>”.'],
    ['a search for both', '/agents?q=alice&specialty=maps', '“<bdi>alice</bdi>” and specialty “<bdi>maps</bdi>”.'],
    ['a repeated parameter', '/agents?q=alice&q=bob', '/agents/alice'],
    ['a parameter as an array', '/agents?q[]=alice&page[]=7', '/agents/bob_1'],
    ['a long search', `/agents?q=${'x'.repeat(10_000)}`, 'x'.repeat(160)],
    ['a NUL', '/agents?q=%00alice%00', '/agents/alice'],
    ['half of a surrogate pair', '/agents?q=%ED%A0%80&specialty=%D8', 'No agent matches'],
    ['an undecodable sequence', '/agents?q=%zz%', 'No agent matches'],
    ['a quote', '/agents?q=%22%3E%3Cb%3E', 'value="&quot;&gt;&lt;b&gt;"'],
    ['a wildcard', '/agents?q=%25%25', 'No agent matches'],
  ])('accepts %s', async (_, path, shown) => {
    const { status, text } = await load(path);

    expect(status).toBe(200);
    expect(text).toContain(shown);
    parsePageShape(text);
  });

  it.each(['0', '-1', '1.5', '1e3', '', 'x', '99999999999999999999', '101', '1001', '%00'])(
    'cannot have the number %j',
    async (number) => {
      expect((await load(`/agents?page=${number}`)).status).toBe(404);
    },
  );
});
