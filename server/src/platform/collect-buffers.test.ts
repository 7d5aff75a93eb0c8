import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countBuffer } from './collect-buffers.ts';

const blockBytes = 64 * 1024;
const mebibyte = 1024 * 1024;

/** The requested collections. */
let asked: number[] = [];
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { kind, flags = 0 } = Reflect.get(entry, 'detail') as NodeGCPerformanceDetail;
    const isAsked = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
    if (isAsked && kind === constants.NODE_PERFORMANCE_GC_MINOR) asked.push(entry.duration);
  }
});

beforeEach(async () => {
  observer.observe({ entryTypes: ['gc'] });
  await wait(100);
  asked = [];
});
afterEach(() => observer.disconnect());

function receive(bytes: number): void {
  for (let left = bytes; left > 0; left -= blockBytes) countBuffer(blockBytes);
}

it('collects the young objects once after a large body', async () => {
  receive(20 * mebibyte);
  await wait(200);

  expect(asked).toHaveLength(1);
});

it('collects nothing after a small body, but after many of them', async () => {
  receive(mebibyte);
  await wait(200);
  expect(asked).toEqual([]);

  receive(mebibyte);
  await wait(200);
  expect(asked).toHaveLength(1);
});

it('collects again while a body goes on', async () => {
  for (let part = 0; part < 4; part += 1) {
    receive(3 * mebibyte);
    await wait(120);
  }

  expect(asked).toHaveLength(4);
});
