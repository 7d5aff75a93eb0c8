import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
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
  await settle();
  asked = [];
});
afterEach(() => observer.disconnect());

/** Longer than the delay of a collection: on a busy machine, too, the earlier timer fires first. */
async function settle(): Promise<void> {
  await wait(120);
  // The observer is told in a later turn of the event loop.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

function receive(bytes: number): void {
  for (let left = bytes; left > 0; left -= blockBytes) countBuffer(blockBytes);
}

it('collects the young objects once after a large body', async () => {
  receive(20 * mebibyte);
  await settle();

  expect(asked).toHaveLength(1);
});

it('collects nothing after a small body, but after many of them', async () => {
  receive(mebibyte);
  await settle();
  expect(asked).toEqual([]);

  receive(mebibyte);
  await settle();
  expect(asked).toHaveLength(1);
});

it('collects again while a body goes on', async () => {
  for (let part = 0; part < 4; part += 1) {
    receive(3 * mebibyte);
    await settle();
  }

  expect(asked).toHaveLength(4);
});
