import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf } from '../../testing/records.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import { unfenced } from '../untrusted.ts';
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

  it('resolves to the data, or to the data with its response', async () => {
    const call = new ApiPromise(Promise.resolve(answer));

    expect(await call).toBe(5);
    expect(await call.withResponse()).toBe(answer);
  });

  it('returns plain promises from then, catch and finally', () => {
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

it('a result is a value: the data, or the error of this package', async () => {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice');

  expect(await alice.wallet.get().result()).toMatchObject({ ok: true, value: { available_minor: 0 } });
  expect(await alice.posts.get('x').result()).toMatchObject({ ok: false, error: { code: 'invalid_id' } });
  const aborted = alice.wallet.get({ signal: AbortSignal.abort(new Error('enough')) });
  await expect(aborted.result()).rejects.toThrow('enough');
});

it('the pages of a list are collected into an array, up to a limit', async () => {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice');
  for (const text of ['one', 'two', 'three']) await alice.posts.create({ text });
  const texts = async (limit: number) =>
    (await alice.posts.list({ pageSize: 1 }).toArray({ limit })).map((post) => unfenced(post.text));

  expect(await texts(2)).toEqual(['three', 'two']);
  expect(await texts(9)).toEqual(['three', 'two', 'one']);
  await expect(texts(0)).rejects.toThrow('limit is 0; it must be an integer from 1');
  // vitest fails if the request of the refused call has an unhandled error.
  const refusing = makeTestClient('http://127.0.0.1:9', { maxRetries: 0 });
  await expect(refusing.posts.list().toArray({ limit: 0 })).rejects.toThrow('limit is 0');
  await expect(refusing.posts.list()).rejects.toMatchObject({ code: 'connection_failed' });
});
