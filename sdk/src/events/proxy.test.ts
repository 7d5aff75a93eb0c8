import { createServer } from 'node:http';
import { startProgram } from '@agent-platform/testing';
import { createProxy } from 'proxy';
import { expect, it } from 'vitest';
import { listen } from '../../testing/listen.ts';
import { makeOrderEvent, serveStream } from '../../testing/stream-server.ts';

const client = new URL('../../testing/client.ts', import.meta.url).href;

/** Starts a forward proxy (npm `proxy`) and records the targets of its tunnels. */
async function startProxy() {
  const server = createServer();
  const tunnels: string[] = [];
  server.on('connect', ({ url }) => void tunnels.push(url ?? ''));
  return { url: await listen(createProxy(server)), tunnels };
}

/** Receives one event in a process in which Node.js reads the proxy from the environment. */
async function receiveBehind(proxyUrl: string, baseUrl: string) {
  const program = `
    const { makeTestClient } = await import('${client}');
    const print = (text) => console.log(text);
    const received = Promise.withResolvers();
    const platform = makeTestClient('${baseUrl}', { hooks: { onStream: ({ why }) => why && received.resolve(why) } });
    await platform.health.live({ maxRetries: 0 }).catch(({ message }) => print(message));
    const first = platform.events.receive()[Symbol.asyncIterator]().next();
    first.then(({ value }) => received.resolve(value.kind));
    print(await received.promise);
    process.exit();`;
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxyUrl, NO_PROXY: '', no_proxy: '' };
  const child = startProgram(process.execPath, ['--input-type=module', '-e', program], { env, stdin: '' });
  await child.ended;
  return child.written.stdout.split('\n');
}

it('every connection of a client goes through the proxy of the environment', async () => {
  const proxy = await startProxy();
  const server = await serveStream((connection) => connection.send(makeOrderEvent(1)));

  expect(await receiveBehind(proxy.url, server.url)).toContain('order.changed');
  expect(server.connections).toHaveLength(1);
  expect(proxy.tunnels).toEqual([new URL(server.url).host, new URL(server.url).host]);
});

it('a failure to connect names the proxy', async () => {
  const server = await serveStream();
  const refusing = createServer();
  refusing.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  const url = await listen(refusing);
  const failures = [
    ['http://user:secret@127.0.0.1:9', 'connect ECONNREFUSED 127.0.0.1:9, at the proxy 127.0.0.1:9 (HTTP_PROXY)'],
    [url, `Proxy response (403) !== 200 when HTTP Tunneling, at the proxy ${new URL(url).host} (HTTP_PROXY)`],
  ] as const;
  for (const [proxyUrl, failure] of failures) {
    const [ofCall, ofStream] = await receiveBehind(proxyUrl, server.url);
    expect([ofCall?.endsWith(failure), ofStream]).toEqual([true, failure]);
  }
});
