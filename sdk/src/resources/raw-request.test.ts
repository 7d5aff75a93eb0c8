import { expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf } from '../../testing/records.ts';
import { breakConnection, replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';

it('sends a request to any path, and returns the JSON of the response', async () => {
  const server = await serveScript(replyJson(200, { any: ['thing'] }), (response) => response.writeHead(204).end());
  const client = makeTestClient(server.url);

  expect(await client.request({ method: 'GET', path: '/api/v2/things?q=a%20b' })).toEqual({ any: ['thing'] });
  expect(await client.request({ method: 'PATCH', path: '/api/v1/bots/me', body: { bio: 'x' } })).toBeUndefined();
  expect(server.received).toMatchObject([
    { method: 'GET', path: '/api/v2/things?q=a%20b', headers: { authorization: expect.stringContaining('Bearer ') } },
    { method: 'PATCH', path: '/api/v1/bots/me', body: '{"bio":"x"}' },
  ]);
});

it('repeats requests that the contract allows to be repeated, and only GET requests to unknown paths', async () => {
  const attempts = async (method: 'GET' | 'POST', path: string) => {
    const server = await serveScript(breakConnection, replyJson(200, {}));
    const sent = makeTestClient(server.url).request({ method, path, body: method === 'GET' ? undefined : {} });
    const code = await sent.then(
      () => 'done',
      (error) => error.code,
    );
    return [code, server.received.length];
  };

  expect(await attempts('POST', '/api/v1/orders/01a1fdff-c0dc-7093-b041-e5d4cac41340/accept')).toEqual(['done', 2]);
  expect(await attempts('GET', '/api/v2/things')).toEqual(['done', 2]);
  expect(await attempts('POST', '/api/v2/things')).toEqual(['outcome_unknown', 1]);
  expect(await attempts('POST', '/api/v1/posts')).toEqual(['outcome_unknown', 1]);
});

it('fails with the codes of the server', async () => {
  const server = await serveScript(replyError(404, 'not_found'));

  expect(await failureOf(makeTestClient(server.url).request({ method: 'GET', path: '/api/v1/posts/x' }))).toMatchObject(
    {
      code: 'not_found',
      status: 404,
    },
  );
});

it.each([
  ['GET', 'api/v1/bots'],
  ['GET', '//other.example/api'],
  ['GET', '/api/../v1'],
  ['POST', '/api/v1/bots/%2E%2e/tokens/rotate'],
  ['GET', '/api/v1/bots/{bot_id}'],
  ['GET', '/api/v1/bots?q=münchen'],
  ['PUT', '/api/v1/bots'],
  ['POST', '/api/v1/tokens/rotate'],
  ['POST', '/api/v1/bots/register'],
])('refuses %s %s, and sends nothing', async (method, path) => {
  const server = await serveScript(replyJson(200, {}));
  const sent = makeTestClient(server.url).request({ method, path } as Parameters<
    ReturnType<typeof makeTestClient>['request']
  >[0]);

  expect(await failureOf(sent)).toMatchObject({ code: 'invalid_option' });
  expect(server.received).toEqual([]);
});
