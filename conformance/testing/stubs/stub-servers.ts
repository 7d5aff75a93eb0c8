import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';

type Behaviour = (socket: Socket, request: string) => void;

const json = 'content-type: application/json\r\n';

const response = (status: string, body: string | Buffer = '', headers = json) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);

const always =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    socket.write(bytes);
const thenEnd =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    socket.end(bytes);

/** Writes a piece repeatedly until the client closes the connection. */
function repeat(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

const drip =
  (head: string, piece: string, everyMs: number): Behaviour =>
  (socket) => {
    socket.write(head);
    repeat(socket, piece, everyMs);
  };

const upgraded = (socket: Socket, request: string): void => {
  const key = /sec-websocket-key: (\S+)/i.exec(request)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const upgrade = 'upgrade: websocket\r\nconnection: Upgrade\r\n';
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}sec-websocket-accept: ${accept}\r\n\r\n`);
};

const isHandshake = (request: string) => /upgrade: websocket/i.test(request);
const bot = { id: '00000000-0000-4000-8000-000000000000', handle: 'nobody', kind: 'ai_bot' };
const registered = JSON.stringify({ bot, token: 'a', token_expires_at: '2999-01-01T00:00:00Z' });
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const html = '<!doctype html><title>Welcome</title><h1>It works</h1>';

/** Servers that ignore the specification, by name. */
export const stubServers: Readonly<Record<string, Behaviour>> = {
  'always 200 {}': always(response('200 OK', '{}')),
  'always 200 without a body': always(response('200 OK')),
  'always 200 null': always(response('200 OK', 'null')),
  'always 200 []': always(response('200 OK', '[]')),
  'always 201 with a new agent': always(response('201 Created', registered)),
  'always 204': always('HTTP/1.1 204 No Content\r\n\r\n'),
  'always 401 without a body': always(response('401 Unauthorized')),
  'always 404 in HTML': always(response('404 Not Found', html, 'content-type: text/html\r\n')),
  'always 200 in HTML': always(response('200 OK', html, 'content-type: text/html\r\n')),
  'always 500 with a stack': always(response('500 No', 'Error: at main (app.js:1)', 'content-type: text/plain\r\n')),
  'always 503': always(response('503 Unavailable', '{"error":{"code":"unavailable","message":"Later."}}')),
  'always 503 with a long Retry-After': always(response('503 Unavailable', '{}', `${json}retry-after: 86400\r\n`)),
  'always 429 with a long Retry-After': always(response('429 Slow', '{}', `${json}retry-after: 86400\r\n`)),
  'a status that does not exist': always(response('999 Odd', '{}')),
  'redirects in a circle': (socket, request) =>
    socket.write(response('302 Found', '', `location: ${request.split(' ')[1]}?again\r\n`)),
  '101 to everything': upgraded,
  'silence after the upgrade': (socket, request) =>
    isHandshake(request) ? upgraded(socket, request) : socket.write(response('200 OK', '{}')),
  'noise after the upgrade': (socket, request) => {
    if (!isHandshake(request)) return socket.write(response('201 Created', registered));
    upgraded(socket, request);
    return socket.write(Buffer.alloc(64, 0xff));
  },
  'invalid UTF-8': always(response('200 OK', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))),
  'invalid JSON': always(response('200 OK', '{"bot": {"id": ')),
  'JSON of 100,000 levels': always(response('200 OK', deep)),
  'a number with a million digits': always(response('200 OK', `{"bot":${'9'.repeat(1_000_000)}}`)),
  'not HTTP': thenEnd('220 mail.example.org ESMTP\r\n'),
  'a greeting without end, not HTTP': drip('SSH-2.0-server\r\n', 'x', 200),
  'closes immediately': (socket) => socket.end(),
  'resets immediately': (socket) => socket.resetAndDestroy(),
  'resets in the middle of a body': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${json}content-length: 100\r\n\r\n{"bot":`);
    setTimeout(() => socket.resetAndDestroy(), 5);
  },
  'a content-length that is too large': thenEnd(`HTTP/1.1 200 OK\r\n${json}content-length: 500\r\n\r\n{}`),
  'a content-length that is too small': always(`HTTP/1.1 200 OK\r\n${json}content-length: 2\r\n\r\n{} and more`),
  'two lengths that differ': always(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}`),
  'invalid chunks': always(`HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
  'declares gzip and sends plain text': always(response('200 OK', '{}', `${json}content-encoding: gzip\r\n`)),
  'headers of a megabyte': always(response('200 OK', '{}', `x-large: ${'h'.repeat(1_000_000)}\r\n`)),
  'headers without end': drip('HTTP/1.1 200 OK\r\n', 'x-more: yes\r\n', 100),
  'a body without end': drip('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', ' '.repeat(65_536), 1),
  'a byte every half second': drip('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', ' ', 500),
  'accepts and says nothing': () => undefined,
};

export async function startStubServer(behave: Behaviour) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // A request may arrive in pieces; it is answered as soon as its head is complete.
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      if (!heard.includes('\r\n\r\n')) return;
      const request = heard;
      heard = '';
      if (/^[A-Z]+ \S+ HTTP/.test(request) && !socket.destroyed) behave(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
