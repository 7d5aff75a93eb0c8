import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { ApiPromise, type ApiResult, mapResult } from './api-promise.ts';

const answer: ApiResult<number> = { data: 5, response: { status: 200, headers: new Headers(), requestId: 'r-1' } };

describe('the promise of a call', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', onUnhandled);
  });
  afterEach(() => {
    process.off('unhandledRejection', onUnhandled);
  });

  it('gives the data, or the data with its response', async () => {
    const call = new ApiPromise(Promise.resolve(answer));

    expect(await call).toBe(5);
    expect(await call.withResponse()).toBe(answer);
  });

  it('gives plain promises from then, catch and finally', () => {
    const call = new ApiPromise(Promise.resolve(answer));

    expect(call).toBeInstanceOf(Promise);
    expect(call.then((data) => data)).not.toBeInstanceOf(ApiPromise);
    expect(call.finally(() => undefined)).not.toBeInstanceOf(ApiPromise);
  });

  it('fails once, not twice, when only withResponse is awaited', async () => {
    const call = new ApiPromise(Promise.reject(new Error('refused')));

    expect(await failureOf(call.withResponse())).toEqual(new Error('refused'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('allows selecting one part of the data', async () => {
    expect(await mapResult(Promise.resolve(answer), (data) => data + 1)).toEqual({ ...answer, data: 6 });
  });
});
