import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CostlyReadLimiter, computeCostlyReadConnections, type ListReach, PageTruncatedError } from './costly-reads.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The test itself ends these reads. `log` lists the reads that started or failed, in order. */
function makeReads(places: number) {
  const share = new CostlyReadLimiter(places);
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const read = (reader: string, name: string) => {
    const reading = share.read(reader, async () => {
      log.push(name);
      const ended = Promise.withResolvers<void>();
      ends.set(name, (error) => (error === undefined ? ended.resolve() : ended.reject(error)));
      await ended.promise;
    });
    reading.catch((error: Error) => log.push(`${name} ${'code' in error ? error.code : error.name}`));
  };
  const end = async (name: string, error?: Error) => {
    await vi.advanceTimersByTimeAsync(0);
    ends.get(name)?.(error);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { log, read, end };
}

describe('the share for costly reads', () => {
  it('is a fifth of the connections, and at least one', () => {
    expect([1, 2, 9, 10, 100].map(computeCostlyReadConnections)).toEqual([1, 1, 1, 2, 20]);
  });

  it('runs one read per reader at a time, and delays others by only one of them', async () => {
    const { log, read, end } = makeReads(1);
    for (const name of ['a1', 'a2', 'a3', 'b1']) read(name.slice(0, 1), name);
    for (const name of ['a1', 'b1', 'a2']) await end(name);
    expect(log).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('leaves a slot free if only the same reader waits for it', async () => {
    const { log, read, end } = makeReads(2);
    for (const name of ['a1', 'a2', 'b1', 'c1']) read(name.slice(0, 1), name);
    await end('b1');
    expect(log).toEqual(['a1', 'b1', 'c1']);
  });

  it('after 5 s refuses reads that wait for the same reader, and is unavailable to others', async () => {
    const { log, read, end } = makeReads(1);
    for (const name of ['a1', 'a2', 'b1', 'b2']) read(name.slice(0, 1), name);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(log).toEqual(['a1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.toSorted()).toEqual(['a1', 'a2 rate_limited', 'b1 StoreUnavailableError', 'b2 rate_limited']);
    read('b', 'b3');
    await end('a1');
    expect(log.at(-1)).toBe('b3');
  });

  it('is used for a page if it is costly, or if the limited number of rows was not enough', async () => {
    const read = async (page: number, near: () => void) => {
      const log: string[] = [];
      const work = async (reach: ListReach) => {
        log.push(reach);
        if (reach === 'near') near();
      };
      await new CostlyReadLimiter(1)
        .readPage('a', { page, page_size: 1 }, work)
        .catch(({ name }: Error) => log.push(name));
      return log;
    };
    const fail = (error: Error) => () => {
      throw error;
    };
    expect(await read(50, () => undefined)).toEqual(['near']);
    expect(await read(51, () => undefined)).toEqual(['whole']);
    expect(await read(50, fail(new PageTruncatedError()))).toEqual(['near', 'whole']);
    expect(await read(50, fail(new TypeError('broken')))).toEqual(['near', 'TypeError']);
  });

  it('continues after a failed read', async () => {
    const { log, read, end } = makeReads(1);
    for (const name of ['a1', 'a2']) read('a', name);
    await end('a1', new TypeError('broken'));
    await end('a2');
    expect(log).toEqual(['a1', 'a1 TypeError', 'a2']);
  });
});
