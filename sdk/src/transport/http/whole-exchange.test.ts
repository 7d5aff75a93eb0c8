import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { makeTestClient, replyPassport } from '../../../testing/client.ts';
import { failureOf, testPassport } from '../../../testing/records.ts';
import { type Responder, replyJson, serveScript } from '../../../testing/scripted-server.ts';

function compressed(bytes: Uint8Array): Responder {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(bytes);
  };
}

/** Starts a server that accepts connections but never sends data, so that no TLS handshake completes. */
async function silentServer(): Promise<string> {
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

it('reads a compressed response', async () => {
  const server = await serveScript(compressed(gzipSync(JSON.stringify({ bot: testPassport }))));

  expect(await makeTestClient(server.url).bots.me()).toEqual(testPassport);
  expect(server.received[0]?.headers['accept-encoding']).toBe('gzip');
});

it('decompresses no more than the maximum size of a response', async () => {
  const server = await serveScript(compressed(gzipSync(`{"bot":{"bio":"${'x'.repeat(50 * 1024 * 1024)}"}}`)));

  expect(await failureOf(makeTestClient(server.url).bots.me())).toMatchObject({
    code: 'unreadable_answer',
    message: expect.stringContaining('over 4 MiB'),
  });
});

it('treats a response that cannot be decompressed as a failed connection', async () => {
  const server = await serveScript(compressed(Buffer.from('{"bot":{}}')), replyPassport);

  expect(await makeTestClient(server.url).bots.me()).toEqual(testPassport);
});

it('returns every value of a repeated header', async () => {
  const server = await serveScript((response, request) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    replyJson(200, { bot: testPassport })(response, request);
  });

  const { response } = await makeTestClient(server.url).bots.me().withResponse();

  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

it('waits for the final response after an informational one', async () => {
  const server = await serveScript((response, request) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () => replyPassport(response, request));
  });

  expect(await makeTestClient(server.url).bots.me()).toEqual(testPassport);
});

it('ends at its time limit while it waits for a connection', async () => {
  const url = await silentServer();
  const options = { timeoutMs: 300, maxRetries: 0 };
  const startMs = performance.now();

  expect(await failureOf(makeTestClient(url, options).bots.me())).toMatchObject({ code: 'timeout' });
  expect(await failureOf(makeTestClient(url).bots.me({ signal: AbortSignal.timeout(300) }))).toMatchObject({
    name: 'TimeoutError',
  });
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

it('sends no request after the call has ended', async () => {
  const server = await serveScript(
    (response, request) => void setTimeout(() => replyPassport(response, request), 300),
    replyPassport,
  );
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new Agent({ connections: 1 }));
  onTestFinished(() => setGlobalDispatcher(before));
  const client = makeTestClient(server.url);

  const first = client.bots.me();
  // This call has to wait, because the first one uses the only connection.
  expect(await failureOf(client.bots.me({ timeoutMs: 50, maxRetries: 0 }))).toMatchObject({ code: 'timeout' });
  await first;
  await client.bots.me();

  expect(server.received).toHaveLength(2);
});

it('uses the dispatcher of the application', async () => {
  const server = await serveScript(replyPassport);
  const origins: unknown[] = [];
  const before = getGlobalDispatcher();
  setGlobalDispatcher(
    before.compose((dispatch) => (options, handler) => {
      origins.push(options.origin);
      return dispatch(options, handler);
    }),
  );
  onTestFinished(() => setGlobalDispatcher(before));

  await makeTestClient(server.url).bots.me();

  expect(origins).toEqual([server.url]);
});
