import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { rejectWhenAborted, sleep, withAnySignal } from './sleep.ts';

describe('waiting', () => {
  it('ends by itself and leaves no listener', async () => {
    const { signal } = new AbortController();

    await sleep(1, signal);

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends immediately with the reason of the signal, and leaves no listener', async () => {
    const controller = new AbortController();
    const waiting = failureOf(sleep(60_000, controller.signal));

    controller.abort('enough');

    expect(await waiting).toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no timer behind that would keep the process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const controller = new AbortController();
    const before = timers();

    const waiting = failureOf(sleep(60_000, controller.signal));
    expect(timers()).toBe(before + 1);
    controller.abort();
    expect(timers()).toBe(before);
    await waiting;
  });

  it('does not start when the signal has aborted', async () => {
    expect(await failureOf(sleep(60_000, AbortSignal.abort('before')))).toBe('before');
  });
});

it('a signal that follows others leaves no listener on them', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const aborted: unknown[] = [];

  await withAnySignal([one.signal, other.signal, undefined], async (signal) => {
    other.abort('enough');
    aborted.push(signal.reason);
  });

  expect(aborted).toEqual(['enough']);
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(0);
});

describe('waiting for a promise', () => {
  it('resolves to the value and leaves no listener', async () => {
    const { signal } = new AbortController();

    expect(await rejectWhenAborted(Promise.resolve(5), signal)).toBe(5);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends immediately with the reason of the signal', async () => {
    const controller = new AbortController();
    const waiting = failureOf(rejectWhenAborted(new Promise(() => undefined), controller.signal));

    controller.abort('enough');

    expect(await waiting).toBe('enough');
  });
});
