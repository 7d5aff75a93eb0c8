import { expect, it } from 'vitest';
import { makeSemaphore } from './semaphore.ts';

it('runs the maximum number of tasks concurrently, and the others in order', async () => {
  const pass = makeSemaphore(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const work = (name: number) => async () => {
    inside += 1;
    most = Math.max(most, inside);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all([1, 2, 3, 4, 5].map((name) => pass(work(name))));

  expect(most).toBe(2);
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

it('releases the permit of a task that fails', async () => {
  const pass = makeSemaphore(1);
  await expect(pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await pass(async () => 'next')).toBe('next');
});
