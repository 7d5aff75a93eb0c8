import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LoadTarget, runLoad } from './load.ts';

async function serve(
  answer: (count: number) => { status: number; body: string },
): Promise<LoadTarget & { seen(): number }> {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    const { status, body } = answer(count);
    response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, path: '/', headers: {}, bodyBytes: 2, seen: () => count };
}

describe('a load', () => {
  it('limited by a number of requests sends exactly that number', async () => {
    const target = await serve(() => ({ status: 200, body: 'ok' }));

    const result = await runLoad(target, { requests: 100 });

    expect(target.seen()).toBe(100);
    expect(result.perSecond).toBeGreaterThan(0);
    expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms);
  });

  it('fails when a response is an error, so that refusals are never measured', async () => {
    const target = await serve((count) => ({ status: count === 50 ? 429 : 200, body: 'ok' }));

    await expect(runLoad(target, { requests: 100 })).rejects.toThrow('responded with 429');
  });

  it('fails when a response does not have the expected length', async () => {
    const target = await serve((count) => ({ status: 200, body: count === 50 ? 'oh!' : 'ok' }));

    await expect(runLoad(target, { requests: 100 })).rejects.toThrow('and 3 bytes');
  });
});
