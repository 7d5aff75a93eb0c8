import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sendBytes } from '../../../testing/send-bytes.ts';
import { makeRegistration, openTestServer, useTestServer } from '../../../testing/test-server.ts';

const server = useTestServer({ PLATFORM_REQUEST_SECONDS: '1' });

function expectWireRefusal(received: string, status: number, code: string): void {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^request-id: [0-9a-f-]{36}$/m);
  expect(JSON.parse(body)).toMatchObject({ error: { code, message: expect.stringMatching(/\w{3}/) } });
}

describe('what is handled before the routes', () => {
  it('headers over 16 KiB are 431, on a new connection and on a used one', async () => {
    const large = `GET /api/v1/bots/me HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(17_000)}\r\n\r\n`;
    expectWireRefusal(await sendBytes(server().url, large), 431, 'headers_too_large');

    const received = await sendBytes(server().url, ['GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n', large]);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expectWireRefusal(received.slice(received.indexOf('HTTP/1.1 431')), 431, 'headers_too_large');
  });

  it('a request whose headers or body are not complete in time is 408', async () => {
    const [headers, body] = await Promise.all([
      sendBytes(server().url, 'GET / HTTP/1.1\r\nHost: x\r\n'),
      sendBytes(
        server().url,
        'POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      ),
    ]);

    expectWireRefusal(headers, 408, 'request_timeout');
    expectWireRefusal(body, 408, 'request_timeout');
  });

  it.each([
    ['bytes that are not HTTP', 'garbage\r\n\r\n'],
    [
      'a length and chunks at once',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a header with a line break', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\nb\r\n\r\n'],
    ['a method that does not exist', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s is 400', async (_what, bytes) => {
    expectWireRefusal(await sendBytes(server().url, bytes), 400, 'invalid_input');
  });

  it('HTTP/1.1 without a Host is 400 in our format', async () => {
    const received = await sendBytes(server().url, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');

    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('invalid_input');
  });

  it.each(['localhost', '127.0.0.1:8080', '[::1]:8080', 'agents.example.org'])('the Host %s is valid', async (host) => {
    const received = await sendBytes(
      server().url,
      `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );

    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an unknown expectation is ignored', async () => {
    const received = await sendBytes(
      server().url,
      'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );

    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answers pipelined requests in order', async () => {
    const received = await sendBytes(
      server().url,
      'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );

    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404']);
  });
});

const form = 'POST /api/v1/attachments HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Type: multipart/form-data';
const twoTokens =
  'GET /api/v1/bots/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n';
const faultyHeads = [
  ['two Hosts', 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
  ['a Host that is not a name', 'GET /health/live HTTP/1.1\r\nHost: x y\r\n\r\n'],
  ['an empty Host', 'GET /health/live HTTP/1.1\r\nHost:\r\n\r\n'],
  ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
  ['two tokens', twoTokens],
  ['two types', 'GET /nothing HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Type: application/json\r\n\r\n'],
  ['another coding', 'POST /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  [
    'chunks and a length',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n'],
  ['a fragment', 'GET /health/live#top HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['two boundaries', `${form}; boundary=a; boundary=b\r\n\r\n`],
  ['two boundaries of a type in capitals', `${form.replace('multipart', 'Multipart')}; boundary=a; boundary=b\r\n\r\n`],
  ['a boundary in capitals beside another', `${form};boundary="a";BOUNDARY=b\r\n\r\n`],
  ['a boundary in the extended notation', `${form}; boundary=a; boundary*=utf-8''b\r\n\r\n`],
  ['a boundary with a space in its name', `${form}; bound ary=a; boundary=b\r\n\r\n`],
  ['a boundary in a parameter without a name', `${form}; "boundary=a"; boundary=b\r\n\r\n`],
  ['a boundary with an open quote', `${form}; boundary="a; boundary=b\r\n\r\n`],
] as const;

let hidden = 0;

/** Returns a smuggled registration, and a function that expects that the server did not execute it. */
function hiddenRegistration() {
  hidden += 1;
  const handle = `hidden_${hidden}`;
  const body = JSON.stringify(makeRegistration(handle));
  const type = 'Content-Type: application/json\r\n';
  return {
    bytes: `POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`,
    expectNone: async () => {
      const answer = await server().request('POST', '/api/v1/bots/register', { body: makeRegistration(handle) });
      expect(answer.status, 'the hidden request has taken the handle').toBe(201);
    },
  };
}

const statusesOf = (received: string) => [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);

describe('a head that can be read in more than one way', () => {
  it.each(faultyHeads)(
    'is 400 and ends its connection, and the next request on it never runs: %s',
    async (_what, head) => {
      const behind = hiddenRegistration();
      const received = await sendBytes(server().url, head + behind.bytes);

      expect(statusesOf(received)).toEqual(['400']);
      expect(received).toContain('invalid_input');
      expect(received).toMatch(/^connection: close\r$/im);
      await behind.expectNone();
    },
  );

  it.each([
    ['chunks in HTTP/1.0', 'POST /health/live HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['HTTP/2.0 in its first line', 'GET /health/live HTTP/2.0\r\nHost: x\r\n\r\n'],
  ])('is 400 even if no request can follow: %s', async (_what, head) => {
    const behind = hiddenRegistration();
    expect(statusesOf(await sendBytes(server().url, head))).toEqual(['400']);
    await sendBytes(server().url, head + behind.bytes);

    await behind.expectNone();
  });

  it.each([
    ['a second Host', 'GET /health/live HTTP/1.1', 'Host: y'],
    ['the length of the body', 'POST /health/live HTTP/1.1', 'Content-Length: 0'],
  ])('is 431 with a thousand headers, after which Node.js 22 drops %s', async (_what, line, header) => {
    const behind = hiddenRegistration();
    // By default, Node.js does not read the last of these headers.
    const head = `${line}\r\nHost: x\r\n${'a:\r\n'.repeat(999)}${header}\r\n\r\n`;
    const received = await sendBytes(server().url, head + behind.bytes);

    expect(statusesOf(received)).toEqual(['431']);
    expect(received).toContain('more than 1000 headers');
    await behind.expectNone();
  });

  it('ends its connection, even if another request is sent after the response', async () => {
    const behind = hiddenRegistration();
    const received = await sendBytes(server().url, [twoTokens, behind.bytes]);

    expect(statusesOf(received)).toEqual(['400']);
    await behind.expectNone();
  });

  it('ends its connection, even if it requests an upgrade', async () => {
    const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
    const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
    const started = performance.now();
    const bytes = `GET /ws/v1/events/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n${upgrade}${key}\r\n`;
    const received = await sendBytes(server().url, bytes, 30_000);

    expect(statusesOf(received)).toEqual(['400']);
    expect(performance.now() - started, 'the connection stays open').toBeLessThan(30_000);
  });

  it('ends its connection after the response if it requests an upgrade that the server does not offer', async () => {
    const behind = hiddenRegistration();
    const head = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const unfinished = `POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${behind.bytes.length}\r\n\r\n`;
    const received = await sendBytes(server().url, [head + unfinished, behind.bytes]);

    expect(statusesOf(received)).toEqual(['200']);
    expect(received).toMatch(/^connection: close\r$/im);
    await behind.expectNone();
  });

  it('ends its connection, even if a limit refuses it first', async () => {
    const limited = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1' });
    await limited.request('GET', '/nothing');
    const received = await sendBytes(limited.url, `${twoTokens}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect(statusesOf(received)).toEqual(['429']);
    expect(received).toMatch(/^connection: close\r$/im);
  });

  it.each([
    'multipart/form-data; boundary=line; charset=utf-8',
    'Multipart/Form-Data;BOUNDARY="a; boundary=b"',
    'multipart/form-data; boundary=----=_Part_0_1.2;',
  ])('is not one with the Content-Type %s', async (type) => {
    const head = `POST /api/v1/attachments HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Type: ${type}\r\n`;
    const received = await sendBytes(server().url, `${head}Connection: close\r\n\r\n`);

    expect(statusesOf(received)).toEqual(['401']);
  });
});

describe('a client that disconnects', () => {
  it('before the response, or while sending its body, is no defect and no database failure', async () => {
    const { hostname, port } = new URL(server().url);
    const partial =
      'POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    for (let round = 0; round < 30; round += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(round % 2 === 0 ? 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n' : partial);
          setTimeout(() => socket.resetAndDestroy(), round % 3);
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    }
    await server().request('GET', '/health/live');

    expect(server().logged()).not.toContain('internal error');
    expect(server().logged()).not.toContain('"msg":"unavailable"');
  });
});
