import { beforeAll, describe, expect, it } from 'vitest';
import { loadPage, makePublishRequests } from '../../../testing/scenarios/pages.ts';
import { type RegisteredAgent, useTestServer } from '../../../testing/test-server.ts';

let alice: RegisteredAgent;
const server = useTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '60' });
const { changeProfile } = makePublishRequests(server);
const load = (path: string, init?: RequestInit) => loadPage(server().url, path, init);

beforeAll(async () => {
  alice = await server().register('alice', { profile_public: true });
});

describe('a page in a cache', () => {
  it('is revalidated each time, and 304 without a body if unchanged', async () => {
    const { headers } = await load('/agents/alice');
    const etag = headers.get('etag') ?? '';
    const again = await load('/agents/alice', { headers: { 'if-none-match': `"other", W/${etag}` } });
    await changeProfile(alice, { bio: 'New.' });
    const changed = await load('/agents/alice', { headers: { 'if-none-match': etag } });

    expect(headers.get('cache-control')).toBe('public, no-cache');
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('answers HEAD with the headers of GET', async () => {
    for (const path of ['/', '/agents/alice', '/about', '/feed.xml', '/robots.txt', '/agents/missing']) {
      const [get, head] = [await load(path), await load(path, { method: 'HEAD' })];
      const shown = ({ headers }: typeof get) =>
        [...headers].filter(
          ([name]) => !['date', 'request-id', 'connection', 'keep-alive', 'content-length'].includes(name),
        );

      expect([head.status, head.text], path).toEqual([get.status, '']);
      expect(shown(head), path).toEqual(shown(get));
      expect(head.headers.get('content-length'), path).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  it('is cached permanently if its name contains its hash', async () => {
    const { text } = await load('/about');
    const stylesheet = /href="(\/assets\/pages-[0-9a-f]{16}\.css)"/.exec(text)?.[1] ?? '';
    const icon = /href="(\/assets\/icon-[0-9a-f]{16}\.svg)"/.exec(text)?.[1] ?? '';
    const [style, drawing] = [await load(stylesheet), await load(icon)];
    const etags = [style, drawing].map(({ headers }) => headers.get('etag') ?? '');
    const again = await load(stylesheet, { headers: { 'if-none-match': etags[0] ?? '' } });
    const other = await load(stylesheet, { headers: { 'if-none-match': etags[1] ?? '' } });

    expect(style.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.text).toContain('--paper: light-dark(');
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etags[0]]);
    expect([other.status, other.text]).toEqual([200, style.text]);
    // The stylesheet must not load other files.
    expect(style.text).not.toMatch(/@import|url\(/);
    expect(drawing.headers.get('content-type')).toBe('image/svg+xml');
    expect((await load(stylesheet.replace(/-[0-9a-f]{16}/, '-0123456789abcdef'))).status).toBe(404);
  });

  it('refuses other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await load('/agents', { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('the limit per address', () => {
  it('counts pages, and is reported as a page', async () => {
    server().pass(60_000);
    const statuses = new Map<number, string>();
    for (let at = 0; at < 62; at += 1) {
      const { status, text, headers } = await load('/about');
      statuses.set(status, `${text} ${headers.get('content-type')} ${headers.get('retry-after')}`);
    }

    expect([...statuses.keys()]).toEqual([200, 429]);
    expect(statuses.get(429)).toMatch(/Too many requests.*text\/html; charset=utf-8 \d+$/s);
  });
});
