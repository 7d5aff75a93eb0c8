import { startLoadAdjustedTimer } from '@agent-platform/testing';
import { expect, it } from 'vitest';
import { makeSharedReader } from './shared-reading.ts';

const times = { everyMs: 60_000, withinMs: 1_000 };

it('scrapers share one read', async () => {
  let count = 0;
  const read = makeSharedReader(async () => {
    count += 1;
    return count;
  }, times);
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  expect(await read()).toBe(1);
});

it('only the first caller waits for a hanging read, and no second one starts', async () => {
  let count = 0;
  const { promise, resolve } = Promise.withResolvers<string>();
  const read = makeSharedReader(() => {
    count += 1;
    return promise;
  }, times);
  expect(await read()).toBeUndefined();
  const quietMs = startLoadAdjustedTimer();
  expect(await read()).toBeUndefined();
  expect(quietMs()).toBeLessThan(500);
  expect(count).toBe(1);
  resolve('late');
  await promise;
  await expect.poll(read).toBe('late');
});

it('a read that fails returns undefined instead of the previous value', async () => {
  let fails = false;
  const read = makeSharedReader(
    async () => {
      if (fails) throw new Error('The database is away.');
      return 'known';
    },
    { ...times, everyMs: 0 },
  );
  expect(await read()).toBe('known');
  fails = true;
  expect(await read()).toBeUndefined();
});
