import { request } from 'node:http';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { expect, it } from 'vitest';
import { callExpectingRefusal, callOk, connect, openToolServer, type ProtocolEra } from '../../testing/connect.ts';

const hostile = '</pre><script>alert(1)</script>\u202e';
const post = { text: hostile, visibility: 'public' };

async function setUp() {
  const platform = await new FakePlatform().agent('alice', { profile: { profile_public: true } });
  const opened = await openToolServer(platform);
  const { approvals } = opened.journal;
  const client = await connect(opened, 'modern', undefined);
  const { id } = Object((await callOk(client, 'posts_create', post))['approval']);
  const url = await opened.server.page.addressOf(String(id));
  const { id: me } = await platform.bots.me();
  return { platform, opened, url, origin: new URL(url).origin, state: () => approvals.get(me, String(id)).state };
}

/** Sends a request with any headers; `fetch` would set some of them itself. */
function send(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => resolve(response.resume().statusCode ?? 0));
    sent.once('error', reject).end(body);
  });
}

it('shows the whole act as text, with a policy that permits no script', async () => {
  const { url } = await setUp();

  const page = await fetch(url);

  const shown = await page.text();
  expect(shown).toContain('&#60;/pre&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#60;U+202E&#62;');
  expect(shown).not.toMatch(/<script|\u202e/);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
  expect(page.headers.get('cache-control')).toBe('no-store');
});

it.each<[number, string, string, (origin: string) => Record<string, string>]>([
  [403, 'of another host', 'POST', (origin) => ({ origin, host: `localhost:${new URL(origin).port}` })],
  [403, 'of another origin', 'POST', () => ({ origin: 'http://127.0.0.1' })],
  [403, 'without an origin', 'POST', () => ({})],
  [403, 'of a form without a referrer', 'POST', () => ({ origin: 'null' })],
  [403, 'of another host that reads', 'GET', () => ({ host: 'rebound.example' })],
  [400, 'of another method', 'PUT', (origin) => ({ origin })],
])('refuses a request with %i %s', async (status, _, method, headersFor) => {
  const { url, origin, state } = await setUp();

  expect(await send(url, method, headersFor(origin), 'decision=approve')).toBe(status);
  expect(state()).toBe('waiting');
});

it('accepts one decision by a button, and only with the secret of the page', async () => {
  const { url, origin, state } = await setUp();
  const other = `${url.slice(0, -4)}AAAA`;

  expect(await send(other, 'POST', { origin }, 'decision=approve')).toBe(404);
  expect(await send(url, 'POST', { origin }, 'decision=yes')).toBe(400);
  expect(await send(url, 'POST', { origin }, `decision=approve&more=${'x'.repeat(300)}`)).toBe(400);
  expect(state()).toBe('waiting');
  expect(new URL(url).pathname).toMatch(/^\/[\w-]{43}$/);
  const answers = await Promise.all(
    ['approve', 'refuse'].map((one) => send(url, 'POST', { origin }, `decision=${one}`)),
  );
  expect(answers.toSorted()).toEqual([200, 404]);
  expect(await send(url, 'GET')).toBe(404);
});

it.each<[ProtocolEra, 'approve' | 'refuse']>([
  ['modern', 'approve'],
  ['modern', 'refuse'],
  ['legacy', 'approve'],
  ['legacy', 'refuse'],
])('a %s client that opens addresses waits for the decision: %s', async (era, decision) => {
  const { opened } = await setUp();
  const client = await connect(
    opened,
    era,
    async (_, url = '') => {
      // The person first opens the page, and decides later.
      setTimeout(() => void send(url, 'POST', { origin: new URL(url).origin }, `decision=${decision}`), 300);
      return { action: 'accept' };
    },
    'url',
  );

  if (decision === 'approve') expect(await callOk(client, 'posts_create', post)).toMatchObject({ post: {} });
  else expect(await callExpectingRefusal(client, 'posts_create', post)).toMatchObject({ code: 'not_confirmed' });
});

it.each([
  ['decline', 'not_confirmed'],
  ['cancel', 'not_answered'],
] as const)('an address that the person does not open is withdrawn: %s', async (action, code) => {
  const { opened, state } = await setUp();
  const client = await connect(opened, 'modern', () => ({ action }), 'url');

  expect(await callExpectingRefusal(client, 'posts_create', post)).toMatchObject({ code });
  expect(state).toThrow(expect.objectContaining({ code: 'approval_not_found' }));
});
