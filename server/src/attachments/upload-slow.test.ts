import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

/** Sends the beginning of a request and returns what comes back, with the seconds until then. */
function begin(url: string, head: readonly string[], body: string): Promise<{ answer: string; seconds: number }> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      answer += bytes.toString();
    });
    socket.on('close', () => resolve({ answer, seconds: (performance.now() - startedAt) / 1_000 }));
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

describe('a body that does not arrive', () => {
  it('is 408 in its time: an upload has more of it than other requests', async () => {
    server = await startTestServer({ PLATFORM_REQUEST_SECONDS: '1', PLATFORM_UPLOAD_SECONDS: '4' });
    const { token } = await server.register('alice');
    const shared = ['host: x', `authorization: Bearer ${token}`, 'content-length: 1000'];
    const form = 'content-type: multipart/form-data; boundary=line';
    const [json, upload] = await Promise.all([
      begin(server.url, ['PATCH /api/v1/bots/me HTTP/1.1', ...shared, 'content-type: application/json'], '{"bio":'),
      begin(server.url, ['POST /api/v1/attachments HTTP/1.1', ...shared, form], '--line\r\n'),
    ]);

    expect(json.answer).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
    expect(json.seconds).toBeLessThan(3.5);
    expect(upload.answer).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
    expect(upload.seconds).toBeGreaterThan(3.5);
    expect(upload.seconds).toBeLessThan(12);
  });
});
