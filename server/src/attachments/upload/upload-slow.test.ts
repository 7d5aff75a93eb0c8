import { connect } from 'node:net';
import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { openTestServer } from '../../../testing/test-server.ts';

/**
 * Sends the start of a request. Returns the response and the seconds until it arrived, with and without a correction
 * for the machine's load.
 */
function begin(
  url: string,
  head: readonly string[],
  body: string,
): Promise<{ answer: string; seconds: number; quietSeconds: number }> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  const quietMs = startLoadAdjustedTimer();
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      answer += bytes.toString();
    });
    socket.on('close', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      resolve({ answer, seconds, quietSeconds: quietMs() / 1_000 });
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

describe('a body that does not arrive', () => {
  it('returns 408 after its time limit, which is longer for an upload than for other requests', async () => {
    const server = await openTestServer({ PLATFORM_REQUEST_SECONDS: '1', PLATFORM_UPLOAD_SECONDS: '4' });
    const { token } = await server.register('alice');
    const shared = ['host: x', `authorization: Bearer ${token}`, 'content-length: 1000'];
    const form = 'content-type: multipart/form-data; boundary=line';
    const [json, upload] = await Promise.all([
      begin(server.url, ['PATCH /api/v1/bots/me HTTP/1.1', ...shared, 'content-type: application/json'], '{"bio":'),
      begin(server.url, ['POST /api/v1/attachments HTTP/1.1', ...shared, form], '--line\r\n'),
    ]);

    expect(json.answer).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
    expect(json.quietSeconds).toBeLessThan(3.5);
    expect(upload.answer).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
    expect(upload.seconds).toBeGreaterThan(3.5);
    expect(upload.quietSeconds).toBeLessThan(12);
  });
});

describe('a body whose announced size exceeds every limit', () => {
  it('does not block other agents, if files have no limit', async () => {
    const without = ['FILE_BYTES', 'AGENT_FILE_BYTES', 'FILE_BYTES_TOTAL'];
    const server = await openTestServer(Object.fromEntries(without.map((name) => [`PLATFORM_${name}`, '0'])));
    const { token } = await server.register('alice');
    const { token: other } = await server.register('bob');
    const fields = (id: string) =>
      [`purpose"\r\n\r\norder`, `upload_id"\r\n\r\n${id}`, `file"; filename="x"\r\n\r\nbytes`]
        .map((field) => `--line\r\ncontent-disposition: form-data; name="${field}\r\n`)
        .join('');
    const head = [
      'POST /api/v1/attachments HTTP/1.1',
      'host: x',
      `authorization: Bearer ${token}`,
      'content-type: multipart/form-data; boundary=line',
      `content-length: ${Number.MAX_SAFE_INTEGER}`,
    ];
    const reserved = async () => {
      const rows = await server.store.read((reader) => reader.selectFrom('attachments').select('state').execute());
      return rows.filter(({ state }) => state === 'receiving').length;
    };
    for (const id of [1, 2, 3]) void begin(server.url, head, fields(`0190f5a0-0000-7000-8000-00000000000${id}`));
    await vi.waitFor(async () => expect(await reserved()).toBe(3), 120_000);

    const { status } = await uploadFile(server.url, other, { file: readRealFile('upright.jpg') });

    expect(status).toBe(201);
  });
});
