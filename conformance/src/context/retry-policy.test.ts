import { describe, expect, it } from 'vitest';
import { InconclusiveError } from './expectations.ts';
import { type Exchange, type HttpRequest, NoAnswerError } from './http/http-client.ts';
import { openRetryPolicy } from './retry-policy.ts';

const get: HttpRequest = { method: 'GET', path: '/api/v1/bots', headers: {}, body: '' };
const post: HttpRequest = { ...get, method: 'POST', path: '/api/v1/posts' };
const answer = (status: number, headers = {}): Exchange => ({
  request: get,
  status,
  headers,
  text: '',
  bytes: Buffer.alloc(0),
  json: undefined,
});

function open(minutes = 30) {
  let now = 0;
  const waited: number[] = [];
  const sleep = async (ms: number) => {
    waited.push(ms);
    now += ms;
  };
  const retryPolicy = openRetryPolicy({ minutes, now: () => now, sleep });
  const queue = (...outcomes: readonly (Exchange | NoAnswerError)[]) => {
    const left = [...outcomes];
    return async () => {
      const next = left.shift() ?? answer(200);
      if (next instanceof NoAnswerError) throw next;
      return next;
    };
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { retryPolicy, waited, queue, pass };
}

describe('a busy server', () => {
  it('receives the request again after the requested wait, if a repeat is safe', async () => {
    const { retryPolicy, waited, queue } = open();
    const busy = queue(answer(503, { 'retry-after': '2' }), new NoAnswerError(get, 'closed'), answer(200));
    expect((await retryPolicy.send(get, busy)).status).toBe(200);
    expect(waited).toEqual([2_000, 1_000]);
    expect((await retryPolicy.send(get, queue(answer(408)))).status).toBe(200);
    const date = { 'retry-after': 'Sat, 21 Nov 2026 12:00:07 GMT', date: 'Sat, 21 Nov 2026 12:00:00 GMT' };
    expect((await retryPolicy.send(get, queue(answer(503, date)))).status).toBe(200);
    expect(waited.at(-1)).toBe(7_000);
  });

  it('is inconclusive if a repeat is not safe or does not help', async () => {
    const { retryPolicy, waited, queue } = open();
    await expect(retryPolicy.send(post, queue(answer(503)))).rejects.toBeInstanceOf(InconclusiveError);
    await expect(retryPolicy.send(post, queue(new NoAnswerError(post, 'closed')))).rejects.toMatchObject({
      message: expect.stringContaining('closed'),
      exchange: { status: 0 },
    });
    expect(waited).toEqual([]);
    const always = queue(...Array.from({ length: 4 }, () => answer(503)));
    await expect(retryPolicy.send(get, always)).rejects.toMatchObject({ exchange: { status: 503 } });
    expect(waited).toHaveLength(3);
  });

  it('is given at most a minute to send another answer', async () => {
    const { retryPolicy, waited, queue } = open();
    const tomorrow = () => queue(...Array.from({ length: 4 }, () => answer(503, { 'retry-after': '86400' })));
    for (let times = 0; times < 3; times += 1)
      await expect(retryPolicy.send(get, tomorrow())).rejects.toBeInstanceOf(InconclusiveError);
    expect(waited).toEqual([30_000, 30_000]);
    await retryPolicy.send(get, queue(answer(200)));
    expect((await retryPolicy.send(get, queue(answer(503)))).status).toBe(200);
    expect(waited).toHaveLength(3);
  });

  it('receives no more requests once it is silent or the run is over', async () => {
    const silent = open();
    const timeout = new NoAnswerError(get, 'silence', { isTimeout: true });
    for (let times = 0; times < 5; times += 1)
      await expect(silent.retryPolicy.send(get, silent.queue(timeout))).rejects.toThrow('silence');
    await expect(silent.retryPolicy.send(get, silent.queue())).rejects.toThrow('5 requests in succession');
    const late = open(1);
    late.pass(60_001);
    await expect(late.retryPolicy.send(get, late.queue())).rejects.toThrow('--max-minutes');
  });
});
