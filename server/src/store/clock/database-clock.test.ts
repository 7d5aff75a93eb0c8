import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import { captureLog } from '../../../testing/test-server.ts';
import { day, minute, second } from '../../platform/clock.ts';
import { newId } from '../../platform/crypto.ts';
import type { Store } from '../store.ts';
import { DatabaseClock, followDatabaseClock } from './database-clock.ts';
import { advanceClock, claimClock, findStoredClock, testClockAheadMaxSeconds } from './stored-clock.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore();
});
afterAll(() => store.close());

/** A difference that a busy machine may cause. */
const busyMs = 30 * second;

// The embedded database uses the real clock; the machine clock that is compared with it is ahead by this time.
let aheadMs = 0;
const machine = () => new Date(Date.now() + aheadMs);

describe('the clock of the database', () => {
  it.each([100 * day, -100 * day, minute])('is not moved by a machine that is %d ms off', async (off) => {
    aheadMs = 0;
    const clock = new DatabaseClock(store, machine);
    expect(await clock.compare()).toBe(0);
    aheadMs = off;
    const before = Date.now();
    const now = clock.now().getTime();

    expect(now).toBeGreaterThan(before - busyMs);
    expect(now).toBeLessThan(Date.now() + busyMs);
    const difference = await clock.compare();
    expect(Math.abs(difference - off)).toBeLessThan(busyMs);
  });

  it("follows the database's clock when that is set", async () => {
    let setBackMs = 0;
    const read: Store['read'] = async (work) => {
      const answer: unknown = await store.read(work);
      const { rows } = answer as { readonly rows: readonly { readonly now: string }[] };
      return { rows: rows.map(({ now }) => ({ now: String(Number(now) - setBackMs) })) } as Awaited<
        ReturnType<typeof work>
      >;
    };
    aheadMs = 0;
    const clock = new DatabaseClock({ ...store, read }, machine);
    await clock.compare();
    setBackMs = 100 * day;
    await clock.compare();

    expect(Date.now() - clock.now().getTime()).toBeGreaterThan(99 * day);
  });
});

describe('a test clock', () => {
  const invitation = { id: newId(), code_hash: '-', uses: 1, used: 0, created_at: new Date() };

  it('is ahead of the database by its offset, except for leases', async () => {
    aheadMs = 0;
    const advance = (seconds: number) => store.transact((writer) => advanceClock(writer, seconds));
    expect(await advance(60)).toBeUndefined();
    await store.transact((writer) => writer.insertInto('invitations').values(invitation).execute());
    await expect(claimClock(store, 'test')).rejects.toThrow('created with the system clock');
    await store.transact((writer) => writer.deleteFrom('invitations').execute());
    await claimClock(store, 'test');
    const clock = await followDatabaseClock(store, machine, captureLog('info').log);
    onTestFinished(() => clock.close());
    expect(await clock.readOffset()).toBe(false);
    expect([await advance(86_400), await advance(86_400)]).toEqual([86_400, 172_800]);
    expect(await clock.readOffset()).toBe(true);

    const aheadOf = (time: Date | undefined) => (time?.getTime() ?? Number.NaN) - Date.now();
    for (const time of [clock.clock(), clock.removalTime()])
      expect(Math.abs(aheadOf(time) - 2 * day)).toBeLessThan(busyMs);
    expect(Math.abs(aheadOf(clock.leaseClock()))).toBeLessThan(busyMs);
    expect(await advance(testClockAheadMaxSeconds)).toBeUndefined();
    expect((await findStoredClock(store)).aheadSeconds).toBe(172_800);
  });
});

describe('a server whose machine has a different time than the database', () => {
  it.each([
    [minute + busyMs, /\d\d\.\d s ahead of/],
    [-minute - busyMs, /\d\d\.\d s behind/],
    [100 * day, /2400\.0 h ahead of/],
  ])('does not start when it is %d ms off', async (off, message) => {
    aheadMs = off;

    await expect(followDatabaseClock(store, machine, captureLog('info').log)).rejects.toThrow(message);
  });

  it('removes nothing and warns once when it is more than 5 s off, at the start and later', async () => {
    const { log, logged } = captureLog('info');
    aheadMs = 50 * second;
    const time = await followDatabaseClock(store, machine, log, 5);
    try {
      expect(time.removalTime()).toBeUndefined();
      aheadMs = 3 * second;
      await expect.poll(() => time.removalTime()).toBeDefined();
      aheadMs = 100 * day;
      await expect.poll(() => time.removalTime()).toBeUndefined();
      expect(Math.abs(time.clock().getTime() - Date.now())).toBeLessThan(busyMs);
      aheadMs = 0;
      await expect.poll(() => time.removalTime()).toBeDefined();
    } finally {
      time.close();
    }
    const lines = logged().trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly level: number }).level)).toEqual([40, 30, 40, 30]);
    expect(lines[0]).toMatch(/\d\.\d s ahead of the clock of the database/);
  });
});
