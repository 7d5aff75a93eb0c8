import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ChunkCountingRequest } from './counted-request.ts';

it('reports too many chunks once, and delivers neither more of them nor the end', async () => {
  const request = new ChunkCountingRequest(new Socket());
  let pushed = 0;
  let ended = false;
  const told: number[] = [];
  const delivered: Uint8Array[] = [];
  request.limitChunks(new ServerResponse(request), () => told.push(pushed));
  request
    .on('data', (chunk: Uint8Array) => delivered.push(chunk))
    .on('end', () => {
      ended = true;
    });
  for (; pushed < 2_000; pushed += 1) request.push(Buffer.from('x'));
  request.push(null);
  await setImmediate();

  expect(told).toEqual([Buffer.concat(delivered).length]);
  expect(ended).toBe(false);
});
