import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { describeStartFailure } from '../process/start-failure.ts';
import { serveMetrics } from './metrics-server.ts';

const timeoutMs = 250;
let text = 'up 1\n';
const server = await serveMetrics(async () => text, '127.0.0.1', 0, timeoutMs);
afterAll(() => server.close());
const port = Number(new URL(server.url).port);

const statusOf = async (path: string, init?: RequestInit) => (await fetch(new URL(path, server.url), init)).status;

/**
 * Sends text and reads after several pauses of half the time limit. Returns the number of bytes received before the
 * server closed the connection.
 */
async function exchange(sent: string, turns = 0): Promise<number> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(sent);
  // Half the limit leaves a margin, because the server may run its timers first after a pause of this process.
  for (let turn = 0; turn < turns; turn += 1) await wait(timeoutMs / 2);
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await once(socket, 'close');
  return bytes;
}

it('only answers GET and HEAD of its path', async () => {
  expect(await (await fetch(server.url)).text()).toBe(text);
  expect(await statusOf('/metrics?from=anywhere', { method: 'HEAD' })).toBe(200);
  for (const path of ['/', '/metrics/', '/health/live', '/%zz', '/metrics/../metrics2'])
    expect(await statusOf(path)).toBe(404);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect(await statusOf('/metrics', { method })).toBe(405);
  expect(await statusOf('/metrics', { headers: { large: 'x'.repeat(60_000) } })).toBe(431);
});

it('ends connections that send no request or read no response, and serves others', async () => {
  const silent = exchange('');
  const slow = exchange('GET /metrics HTTP/1.1\r\nhost: a\r\nlong: ');
  await Promise.all([silent, slow]);

  text = 'x'.repeat(30_000_000);
  const request = 'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n';
  expect(await exchange(request, 8)).toBeLessThan(text.length);
  text = 'up 1\n';
  expect(await statusOf('/metrics')).toBe(200);
});

it('says which setting is wrong when it cannot listen', async () => {
  for (const [host, taken] of [
    ['127.0.0.1', port],
    ['192.0.2.1', 0],
    ['nowhere.invalid', 0],
  ] as const) {
    const failure = await serveMetrics(async () => '', host, taken).catch((error: unknown) => error);
    expect(describeStartFailure(failure, 'postgres://db.example/platform')).toMatch(
      new RegExp(
        `^The metrics cannot be served on port ${taken} of ${host} \\(.*\\)\\. Set PLATFORM_METRICS_PORT .*machine\\.$`,
      ),
    );
  }
});
