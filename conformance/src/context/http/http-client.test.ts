import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { answerTimeouts, openHttpClient } from './http-client.ts';

it('stops reading an endless answer, even if bytes keep arriving', async () => {
  const server = createServer((_, response) => {
    const dripping = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openHttpClient(`http://127.0.0.1:${port}`, { ...answerTimeouts(1), wholeMs: 1_000 });
  const sent = client.send({ method: 'GET', path: '/', headers: {}, body: '' });

  await expect(sent).rejects.toThrow('no complete answer within 1000 ms');
  client.close();
  server.close();
});

/** Sends a request to a server that answers with this text and closes the connection. */
async function sendTo(answer: string, method = 'GET') {
  const server = createServer();
  server.on('connection', (socket) => socket.once('data', () => socket.end(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = openHttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const sent = client.send({ method, path: '/', headers: {}, body: '' });
  return await sent.finally(() => {
    client.close();
    server.close();
  });
}

it('returns an answer even if a server changes the protocol', async () => {
  const answer = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
  expect((await sendTo(answer)).status).toBe(101);
});

it.each([
  ['GET', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}', true],
  ['GET', 'no name\r\ncontent-length: 2\r\n\r\n{}', true],
  ['GET', 'content-length: 1\r\n\r\n{}', true],
  ['HEAD', 'content-length: 2\r\n\r\n{}', true],
  // A busy server may close a connection before the answer is complete, so this answer is not malformed.
  ['GET', 'content-length: 9\r\n\r\n{}', false],
  ['GET', 'content-le', false],
  ['GET', '', false],
])('gives up, and distinguishes invalid HTTP from a closed connection: %s %j', async (method, rest, isMalformed) => {
  const sent = sendTo(rest && `HTTP/1.1 200 OK\r\n${rest}`, method);
  await expect(sent).rejects.toMatchObject({ name: 'NoAnswerError', isMalformed });
});
