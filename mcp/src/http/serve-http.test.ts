import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { openToolServer } from '../../testing/connect.ts';
import { serveHttp } from './serve-http.ts';

/** Starts a server; `send` sends any text as a request, even one that an HTTP client would refuse to send. */
async function serve() {
  const { make } = await openToolServer(await new FakePlatform().agent('alice'));
  const ending = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const serving = serveHttp(make, {
    port: 0,
    folder: makeTestFolder(),
    signal: ending.signal,
    report: resolve,
    found: 'tools',
  });
  const [, port, file = ''] = /:(\d+)\/mcp; the bearer token is in (.+)$/.exec(await promise) ?? [];
  return {
    bearer: readFileSync(file, 'utf8').trim(),
    send: async (text: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(text);
      const answer: Buffer[] = [];
      for await (const piece of socket) answer.push(piece);
      return Buffer.concat(answer).toString().split('\r\n', 1)[0];
    },
    end: async () => {
      ending.abort();
      await serving;
    },
  };
}

it('answers requests whose targets are not addresses, and continues', async () => {
  const { bearer, send, end } = await serve();
  const known = `Host: localhost\r\nAuthorization: Bearer ${bearer}\r\nConnection: close\r\n\r\n`;

  for (const target of ['//', 'http://[', '*', '//localhost/mcp', 'http://localhost/mcp', '/mcp/..', '/MCP']) {
    expect(await send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`), target).toContain(' 401 ');
    expect(await send(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\n\r\n`), target).toContain(' 403 ');
    expect(await send(`GET ${target} HTTP/1.1\r\n${known}`), target).toContain(' 404 ');
  }
  expect(await send(`DELETE /mcp?a=b HTTP/1.1\r\n${known}`)).toContain(' 400 ');
  await end();
});
