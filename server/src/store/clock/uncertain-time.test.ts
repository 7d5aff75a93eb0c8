import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import { captureLog } from '../../../testing/test-server.ts';
import { day, hour, minute } from '../../platform/clock.ts';
import { findPlatformFact, writePlatformFact } from '../platform-facts.ts';
import type { Store } from '../store.ts';
import { DatabaseClock, followDatabaseClock } from './database-clock.ts';
import { advanceClock, claimClock } from './stored-clock.ts';
import { confirmTime, findUncertainty } from './uncertain-time.ts';

let embedded: Store;
let store: Store;
/** The error of the clock that the database and the machine share. */
let wrongMs = 0;
beforeEach(async () => {
  wrongMs = 0;
  embedded = await openEmbeddedStore();
  const read: Store['read'] = async (work) => {
    const answer = await embedded.read(work);
    const { rows = [] } = (answer ?? {}) as { readonly rows?: readonly { now?: string }[] };
    for (const row of rows) if (typeof row.now === 'string') row.now = String(Number(row.now) + wrongMs);
    return answer;
  };
  store = { ...embedded, read };
});
afterEach(() => embedded.close());

const now = () => new Date(Date.now() + wrongMs);
const start = async () => {
  const { log, logged } = captureLog('info');
  const time = await followDatabaseClock(store, now, log, 5);
  onTestFinished(() => time.close());
  await time.followCertainty();
  return { ...time, logged };
};
const confirm = () => embedded.transact((writer) => confirmTime(writer, now()));
const stored = () => embedded.read((reader) => findPlatformFact(reader, 'uncertain_time'));
const storeRest = (restMs: number) =>
  embedded.transact((writer) => writePlatformFact(writer, 'uncertain_time', JSON.stringify({ cause: 'x', restMs })));

describe('a clock that machine and database share', () => {
  it.each([100 * day, -100 * day, 61 * minute])(
    'stops deletion on all servers when it moves %d ms and back, until it is confirmed',
    async (moved) => {
      const [one, other] = [await start(), await start()];
      expect([one.removalTime(), other.removalTime()]).toEqual([expect.any(Date), expect.any(Date)]);
      wrongMs = moved;
      for (const server of [one, other]) await expect.poll(server.removalTime).toBeUndefined();
      wrongMs = 0;
      await expect.poll(one.logged).toContain(moved > 0 ? 'h back' : 'h forward');
      const late = await start();
      expect([one.removalTime(), late.removalTime()]).toEqual([undefined, undefined]);

      await confirm();
      for (const server of [one, other, late]) await expect.poll(server.removalTime).toBeDefined();
      expect(one.logged()).toContain('the time is certain again');
    },
  );

  it('is trusted if it moves less, or if the machine was suspended', async () => {
    const moves: number[] = [];
    let upMs = 0;
    const clock = new DatabaseClock(
      store,
      now,
      (movedMs) => moves.push(movedMs),
      () => performance.now() + upMs,
    );
    for (const [ahead, up, count] of [
      [0, 0, 0],
      [50 * minute, 0, 0],
      [30 * day, 30 * day, 0],
      [30 * day, 0, 1],
    ] as const) {
      [wrongMs, upMs] = [ahead, up];
      await clock.compare();
      expect(moves).toHaveLength(count);
    }
  });

  it('is not trusted at a start more than 5 days ahead of the newest stored time', async () => {
    const first = await start();
    expect(first.removalTime()).toBeDefined();
    first.close();
    // The embedded database answers in order, so this waits for a comparison in progress, which uses the earlier time.
    await stored();
    await new Promise(setImmediate);
    wrongMs = 4 * day;
    expect(await findUncertainty(store, now())).toBeUndefined();
    wrongMs = 100 * day;
    expect(await findUncertainty(store, now())).toMatchObject({ cause: expect.stringContaining('2400.0 h ahead') });
    const second = await start();
    expect([second.removalTime(), await stored()]).toEqual([undefined, expect.stringContaining(`${day}`)]);

    await confirm();
    await expect.poll(second.removalTime).toBeDefined();
    expect((await start()).removalTime()).toBeDefined();
  });

  it('is trusted after 24 hours of running, which a restart does not reset', async () => {
    await storeRest(hour);
    wrongMs = 100 * day;
    const [one, other] = [await start(), await start()];
    expect([one.removalTime(), other.removalTime()]).toEqual([undefined, undefined]);
    const text = await stored();
    expect(JSON.parse(text ?? '{}')).toMatchObject({ restMs: expect.toSatisfy((rest: number) => rest <= hour) });
    await expect.poll(stored).not.toBe(text);
    await storeRest(50);
    for (const server of [one, other]) await expect.poll(server.removalTime).toBeDefined();
    expect(await stored()).toBeUndefined();
  });

  it('is not the test clock, whose moves are intended', async () => {
    await claimClock(store, 'test');
    const server = await start();
    await store.transact((writer) => advanceClock(writer, 100 * 86_400));
    const late = await start();
    for (const { readOffset, removalTime } of [server, late]) {
      await readOffset();
      expect(removalTime()?.getTime()).toBeGreaterThan(Date.now() + 99 * day);
    }
  });
});
