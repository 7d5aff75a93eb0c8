import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendBytes } from '../../../testing/send-bytes.ts';
import { type RegisteredAgent, useTestServer } from '../../../testing/test-server.ts';

let alice: RegisteredAgent;

const server = useTestServer();
beforeAll(async () => {
  alice = await server().register('alice');
});

/** Sends the body in chunks of `bytes`; if `isOpen`, the final chunk is missing. */
function inChunks(requestLine: string, type: string, body: string, bytes: number, isOpen = false): string {
  const head = [
    `${requestLine} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${alice.token}`,
    `content-type: ${type}`,
    'transfer-encoding: chunked',
    ...(isOpen ? [] : ['connection: close']),
  ];
  const parts = body.match(new RegExp(`[^]{1,${bytes}}`, 'g')) ?? [];
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `${head.join('\r\n')}\r\n\r\n${chunks.join('')}${isOpen ? '' : '0\r\n\r\n'}`;
}

const file = '--line\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';

describe('a body in too many small chunks', () => {
  it.each([
    ['PATCH /api/v1/bots/me', 'application/json', `{"bio":"${'x'.repeat(5_000)}`],
    ['POST /api/v1/attachments', 'multipart/form-data; boundary=line', file + 'x'.repeat(5_000)],
    ['POST /nowhere', 'application/json', `{"bio":"${'x'.repeat(5_000)}`],
  ])('is 408 before its end, and the connection closes: %s', async (requestLine, type, body) => {
    const answer = await sendBytes(server().url, inChunks(requestLine, type, body, 1, true));

    expect(answer).toMatch(/^HTTP\/1\.1 408 .*connection: close.*"request_timeout"/is);
  });

  it('ends its connection without a second response if the first one did not wait for it', async () => {
    const { hostname, port } = new URL(server().url);
    const body = inChunks('GET /health/live', 'application/json', 'x'.repeat(5_000), 1, true);
    const [head = '', ...rest] = body.split('\r\n\r\n');
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (bytes) => {
      if (received === '') socket.write(rest.join('\r\n\r\n'));
      received += bytes.toString();
    });
    socket.on('error', () => undefined).write(`${head}\r\n\r\n`);
    await once(socket, 'close');

    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('is discarded if nothing reads it, and the next request is answered', async () => {
    const unread = inChunks('GET /health/live', 'application/json', 'x'.repeat(200_000), 1_000, true);
    const next = 'GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const answers = await sendBytes(server().url, `${unread}0\r\n\r\n${next}`);

    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it('is accepted if it is small, or if its chunks are at least as large as those of a slow network', async () => {
    const bio = (length: number) => JSON.stringify({ bio: 'x'.repeat(length) });
    const small = inChunks('PATCH /api/v1/bots/me', 'application/json', bio(900), 1);
    expect(await sendBytes(server().url, small)).toMatch(/^HTTP\/1\.1 200 /);

    const large = inChunks('PATCH /api/v1/bots/me', 'application/json', `${bio(3_000)}${' '.repeat(60_000)}`, 500);
    expect(await sendBytes(server().url, large)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
