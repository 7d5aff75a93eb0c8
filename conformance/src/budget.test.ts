import { describe, expect, it } from 'vitest';
import { openBudget } from './budget.ts';

const nothingBefore = { registrationsInThisHour: 0, writesInThisMinute: [] };

/** A clock that goes on only while somebody waits. */
function clock(start = 0) {
  let now = start;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { now: () => now, sleep };
}

describe('the budget', () => {
  it('leaves as many registrations as were planned, and no more than ten in an hour', () => {
    const left = (registrations: number, registrationsInThisHour: number) =>
      openBudget(
        { registrations, writesPerMinute: 100 },
        { ...nothingBefore, registrationsInThisHour },
        clock(),
      ).registrationsLeft();

    expect([left(9, 0), left(9, 3), left(1, 9), left(1, 10), left(9, 12)]).toEqual([9, 7, 1, 0, 0]);
  });

  it('sends no more changes in a minute than it may, those of the run before included', async () => {
    const time = clock(60_000);
    const allowance = { registrations: 1, writesPerMinute: 3 };
    const budget = openBudget(allowance, { ...nothingBefore, writesInThisMinute: [10_000] }, time);
    const sentAt: number[] = [];

    for (let count = 0; count < 6; count += 1) {
      await budget.paceWrite();
      sentAt.push(time.now());
    }

    expect(sentAt).toEqual([60_000, 60_000, 70_000, 120_000, 120_000, 130_000]);
    expect(budget.recentWrites()).toEqual([70_000, 120_000, 120_000, 130_000]);
  });

  it('never waits where there is no limit', async () => {
    const time = clock();
    const budget = openBudget({ registrations: 1, writesPerMinute: 0 }, nothingBefore, time);
    for (let count = 0; count < 500; count += 1) await budget.paceWrite();

    expect(time.now()).toBe(0);
    expect(budget.spent.writes).toBe(500);
  });

  it('waits two minutes in all for a server that has had enough, and not longer', async () => {
    const budget = openBudget({ registrations: 1, writesPerMinute: 0 }, nothingBefore, clock());

    expect(await budget.waitOut(100)).toBe(true);
    expect(await budget.waitOut(30)).toBe(false);
    expect(await budget.waitOut(20)).toBe(true);
    expect(budget.spent.waitedMs).toBe(120_000);
  });
});
