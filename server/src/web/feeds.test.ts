import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { makeOperatorActions } from '../../testing/scenarios/care.ts';
import { type LoadedPage, loadPage, makePublishRequests } from '../../testing/scenarios/pages.ts';
import { openTestServer, type RegisteredAgent, startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let published: TestServer;
let alice: RegisteredAgent;
const { publish, upload, changeProfile, suspend } = makePublishRequests(() => server);
const { erase } = makeOperatorActions(() => server);
const load = (path: string) => loadPage(server.url, path);
const loadPublished = (path: string) => loadPage(published.url, path);

const operator = {
  PLATFORM_PUBLIC_URL: 'https://agents.example/platform',
  PLATFORM_OPERATOR_NAME: '<Operator> & "Co"',
  PLATFORM_CONTACT: 'hello@agents.example',
  PLATFORM_TERMS_URL: 'https://agents.example/terms?a=1&b=2',
  PLATFORM_ABUSE_CONTACT: 'https://agents.example/abuse',
  PLATFORM_INSTALL_COMMAND: 'npm i -g "agentp" && <x>',
};

beforeAll(async () => {
  server = await startTestServer();
  // A server with a configured public address on the same database.
  published = await startTestServer(operator, 'copied', { wrapStore: () => server.store });
  alice = await server.register('alice', { display_name: 'Alice & <Co>', profile_public: true });
});
afterAll(async () => {
  await published.close();
  await server.close();
});

async function expectXml({ text, headers }: LoadedPage, type: string): Promise<void> {
  const { errors } = await validateXML({ xml: [{ fileName: 'feed.xml', contents: text }], normalization: 'format' });
  expect(errors, text).toEqual([]);
  expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
}

describe('a feed', () => {
  it('without works is valid and always the same', async () => {
    const [first, second] = [await load('/agents/alice/feed.xml'), await load('/agents/alice/feed.xml')];

    await expectXml(first, 'application/atom+xml');
    expect(first.text).toContain('<updated>1970-01-01T00:00:00.000Z</updated>');
    expect(second.text).toBe(first.text);
  });

  it('has the public works of all agents or of one, with a permanent id', async () => {
    const bob = await server.register('bob_1', { profile_public: true });
    const file = await upload(alice, 'portfolio');
    const work = await publish(alice, {
      title: 'Ink ]]> & <paper>',
      text: 'A text\u0001 \ufffe with <tags>.',
      attachment_ids: [file],
    });
    const other = await publish(bob, { text: 'Of Bob.' });
    const [all, ofAlice] = [await load('/feed.xml'), await load('/agents/alice/feed.xml')];

    for (const feed of [all, ofAlice]) {
      await expectXml(feed, 'application/atom+xml');
      expect(feed.text).toContain(`<id>urn:uuid:${work}</id>\n<title>Ink ]]&gt; &amp; &lt;paper&gt;</title>`);
      expect(feed.text).toContain('<content type="text">A text  with &lt;tags&gt;.</content>');
      expect(feed.text).toContain(
        `<link rel="enclosure" type="image/jpeg" href="http://platform.test/api/v1/attachments/${file}/preview"/>`,
      );
      expect(feed.text).toContain(
        '<author><name>Alice &amp; &lt;Co&gt;</name><uri>http://platform.test/agents/alice</uri></author>',
      );
    }
    expect(all.text).toContain(other);
    expect(ofAlice.text).not.toContain(other);
  });

  it('is linked from the pages that show the same works', async () => {
    expect((await load('/')).text).toContain(
      '<link rel="alternate" type="application/atom+xml" title="Works" href="/feed.xml">',
    );
    expect((await load('/agents/alice')).text).toContain('href="/agents/alice/feed.xml"');
  });
});

describe('search engines', () => {
  it("are asked not to index unless the server's address is configured", async () => {
    const [robots, sitemap, front] = await Promise.all(['/robots.txt', '/sitemap.xml', '/'].map(load));

    expect(robots?.text).toBe('User-agent: *\nDisallow: /\n');
    expect(robots?.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(sitemap?.status).toBe(404);
    expect(front?.text).toContain('<meta name="robots" content="noindex">');
    expect(front?.text).not.toContain('canonical');
  });

  it('otherwise find public profiles in the sitemap, and pages with their canonical address', async () => {
    const [closed, suspended, demo, erased] = await Promise.all(
      ['closed', 'suspended', 'demo', 'erased'].map((handle) => server.register(handle, { profile_public: true })),
    );
    if (closed === undefined || suspended === undefined || demo === undefined || erased === undefined)
      throw new Error('Four agents are registered.');
    await changeProfile(closed, { profile_public: false });
    await suspend(suspended);
    await erase(erased);
    await server.store.transact((writer) =>
      writer.updateTable('bots').set({ is_demo: true }).where('id', '=', demo.id).execute(),
    );
    const [robots, sitemap, profile, front] = await Promise.all(
      ['/robots.txt', '/sitemap.xml', '/agents/alice', '/'].map(loadPublished),
    );
    const places = [...(sitemap?.text ?? '').matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place]) => place);

    expect(robots?.text).toContain('Sitemap: http://platform.test/sitemap.xml');
    expect(robots?.text).toContain('Disallow: /api/\n');
    await expectXml(sitemap ?? profile ?? (await load('/')), 'application/xml');
    expect(places).toContain('http://platform.test/agents/alice');
    for (const handle of ['closed', 'suspended', 'demo', 'erased'])
      expect(places).not.toContain(`http://platform.test/agents/${handle}`);
    expect(profile?.text).toContain('<link rel="canonical" href="http://platform.test/agents/alice">');
    expect(profile?.text).not.toContain('noindex');
    expect(front?.text).toContain('<meta property="og:url" content="http://platform.test/">');
    expect((await loadPublished('/sitemap.xml?page=2')).status).toBe(404);
    expect((await loadPublished('/agents?q=alice')).text).toContain('<meta name="robots" content="noindex">');
  });
});

describe('the operator', () => {
  it('is shown in the footer of every page', async () => {
    const { text } = await loadPublished('/agents');

    expect(text).toContain('Operated by <bdi>&lt;Operator&gt; &amp; &quot;Co&quot;</bdi>');
    expect(text).toContain('<a href="mailto:hello@agents.example">Contact</a>');
    expect(text).toContain('<a href="https://agents.example/terms?a=1&amp;b=2">Terms</a>');
    expect(text).toContain('<a href="https://agents.example/abuse">Report abuse</a>');
    expect((await load('/agents')).text).not.toContain('Operated by');
  });

  it('configures how the client is installed; otherwise the pages mention no package from a registry', async () => {
    const command = '<pre tabindex="0"><code>npm i -g &quot;agentp&quot; &amp;&amp; &lt;x&gt;</code></pre>';
    expect((await loadPublished('/about')).text).toContain(command);
    expect((await loadPublished('/llms.txt')).text).toContain('agentp: npm i -g "agentp" && <x>\n');
    for (const path of ['/', '/agents', '/agents/alice', '/about', '/posts/none', '/llms.txt'])
      expect((await load(path)).text, path).not.toMatch(/npx|npm |@agent-platform/);
  });

  it('can disable the pages', async () => {
    const without = await openTestServer({ PLATFORM_PAGES: 'off' }, 'copied', { wrapStore: () => server.store });
    const files = ['/robots.txt', '/sitemap.xml', '/llms.txt', '/skills/agentp/SKILL.md'];
    for (const path of ['/', '/agents', '/agents/alice', '/about', '/feed.xml', ...files]) {
      const answer = await without.request('GET', path);
      expect([answer.status, answer.body['error']?.['code']], path).toEqual([404, 'not_found']);
    }
  });
});
