import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { StreamConnection, StreamEnding } from '../transport/call-options.ts';
import type { FakeConnection, FakePlatform } from './fake-platform.ts';

/** A handler of requests and event streams: a `FakePlatform`, or a wrapper around one. */
export interface PlatformHandlers extends Pick<FakePlatform, 'fetch'> {
  readonly options: Pick<FakeConnection, 'openStream'>;
}

/** A fake platform that listens on a port of this machine. */
export interface ServedPlatform {
  /** The base URL for clients. */
  readonly url: string;
  /** Closes all connections; resolves when the port is free. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const frameMaxBytes = 16 * 1024;
// Below 50 s, the default time after which a client considers a connection without frames dead.
const pingMs = 30_000;
const handshake = { timeoutMs: 10_000, silenceMs: 2 * pingMs };

/**
 * Makes a fake platform listen on the loopback interface, for programs in other processes. If `fetch` or `openStream`
 * rejects, the connection is reset.
 *
 * @param port default: a free port
 * @throws Error with the code `EADDRINUSE` if the port is in use
 * @example
 * const { url, close } = await servePlatform(new FakePlatform());
 */
export async function servePlatform(platform: PlatformHandlers, port = 0): Promise<ServedPlatform> {
  // `ws` is loaded on demand, as in the client.
  const { WebSocketServer } = await import('ws');
  const sockets = new WebSocketServer({ noServer: true, maxPayload: frameMaxBytes });
  const http = createServer((request, response) => {
    answer(platform, request, response).catch(() => request.socket.resetAndDestroy());
  });
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    openStream(platform, sockets, { request, socket, head }).catch(() => socket.destroy());
  });
  const pings = setInterval(() => {
    for (const socket of sockets.clients) socket.ping();
  }, pingMs);
  http.once('close', () => clearInterval(pings));
  await once(http.listen(port, host), 'listening').catch((error: unknown) => {
    clearInterval(pings);
    throw error;
  });
  return {
    // The cast is safe, because a server that listens on a port has an address of this type.
    url: `http://${host}:${(http.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

async function answer(platform: PlatformHandlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const chunks = await request.toArray();
  const isBodiless = method === 'GET' || method === 'HEAD';
  const sent = Object.entries(headers).map(([name, value = '']): [string, string] => [name, String(value)]);
  const body = isBodiless || chunks.length === 0 ? null : Buffer.concat(chunks);
  const answered = await platform.fetch(new URL(url, `http://${host}`), { method, headers: sent, body });
  const bytes = Buffer.from(await answered.arrayBuffer());
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(bytes);
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function openStream({ options }: PlatformHandlers, sockets: WebSocketServer, upgrade: Upgrade): Promise<void> {
  const { request, socket, head } = upgrade;
  const { promise: opened, resolve } = Promise.withResolvers<WebSocket>();
  const stream = await options.openStream({
    ...handshake,
    url: new URL(request.url ?? '', `ws://${host}`),
    token: /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '',
    onOpen: () => sockets.handleUpgrade(request, socket, head, resolve),
  });
  socket.once('close', () => stream.close());
  const first = await Promise.race([opened, stream.ended]);
  if ('ending' in first) refuse(socket, first.ending);
  else await pass(stream, first);
}

function refuse(socket: Duplex, ending: StreamEnding): void {
  if (ending.kind !== 'refused') socket.destroy();
  else socket.end(`HTTP/1.1 ${ending.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

async function pass(stream: StreamConnection, socket: WebSocket): Promise<void> {
  socket.on('message', (data, isBinary) => stream.send(isBinary ? '' : String(data)));
  socket.on('error', () => socket.terminate());
  for await (const texts of stream.texts) for (const text of texts) socket.send(text);
  const { ending } = await stream.ended;
  if (ending.kind === 'closed') socket.close(ending.code);
  else socket.terminate();
}
