import { describe, expect, it } from 'vitest';
import { type Budget, type BudgetOptions, type LimitedRequestKind, openBudget } from './budget.ts';
import { defaultLimits, type Limits, unpacedLimits } from './limits.ts';

const nothingBefore: BudgetOptions['before'] = { registrationsInThisHour: 0, recent: {} };

/** A clock that advances only during waits. */
function clock(start = 0) {
  let now = start;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { now: () => now, sleep };
}

function open(time: ReturnType<typeof clock>, limits: Partial<Limits> = {}, before = nothingBefore): Budget {
  return openBudget({ registrations: 1, limits: { ...defaultLimits, ...limits }, before }, time);
}

async function sendTimes(
  budget: Budget,
  time: ReturnType<typeof clock>,
  count: number,
  kind: LimitedRequestKind,
  agent?: string,
) {
  const sentAt: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    await budget.pace(kind, agent);
    sentAt.push(time.now());
  }
  return sentAt;
}

describe('the budget', () => {
  it('has as many registrations left as planned, and at most ten in an hour', () => {
    const left = (registrations: number, registrationsInThisHour: number) =>
      openBudget(
        { registrations, limits: defaultLimits, before: { ...nothingBefore, registrationsInThisHour } },
        clock(),
      ).registrationsLeft();

    expect([left(9, 0), left(9, 3), left(1, 9), left(1, 10), left(9, 12)]).toEqual([9, 7, 1, 0, 0]);
  });

  it('has the later registrations left when the clock of the server has moved by an hour', () => {
    const before = { ...nothingBefore, registrationsInThisHour: 9 };
    const budget = openBudget({ registrations: 1, laterRegistrations: 1, limits: defaultLimits, before }, clock());
    budget.takeRegistration();

    expect([budget.registrationsLeft(), budget.registrationsPlanned()]).toEqual([0, 1]);
    // An extra registration does not reduce the number of planned ones.
    budget.takeExtraRegistration();
    expect([budget.registrationsLeft(), budget.registrationsPlanned()]).toEqual([0, 1]);
    budget.hourPassed();
    expect([budget.registrationsLeft(), budget.spent.registrations]).toEqual([1, 2]);
  });

  it('sends at most the permitted number of writes in a minute, including those of the previous run', async () => {
    const time = clock(60_000);
    const before = { ...nothingBefore, recent: { 'writes a': { 10: 1 } } };
    const budget = open(time, { writesPerMinute: 3 }, before);

    const sentAt = await sendTimes(budget, time, 6, 'writes', 'a');

    expect(sentAt).toEqual([60_000, 60_000, 70_000, 120_000, 120_000, 130_000]);
    expect(budget.recent()).toEqual({ 'writes a': { 120: 2, 130: 1 } });
  });

  it('counts writes per agent, and messages for all agents together', async () => {
    const time = clock();
    const budget = open(time, { writesPerMinute: 2, messagesPerMinute: 2 });

    expect(await sendTimes(budget, time, 2, 'writes', 'a')).toEqual([0, 0]);
    expect(await sendTimes(budget, time, 2, 'writes', 'b')).toEqual([0, 0]);
    expect(await sendTimes(budget, time, 3, 'messages')).toEqual([0, 0, 60_000]);
    expect(budget.spent).toMatchObject({ writes: 4, messages: 3, waitedMs: 60_000 });
  });

  it('assigns different slots to concurrent requests', async () => {
    const time = clock();
    const budget = open(time, { messagesPerMinute: 2 });
    const sentAt: number[] = [];

    await Promise.all(Array.from({ length: 5 }, () => budget.pace('messages').then(() => sentAt.push(time.now()))));

    expect(sentAt).toEqual([0, 0, 60_000, 60_000, 120_000]);
  });

  it('counts requests that exhaust a limit without waiting, and delays the next ones', async () => {
    const time = clock();
    const budget = open(time, { writesPerMinute: 2 });

    for (let sent = 0; sent < 5; sent += 1) budget.count('writes', 'a');
    expect(time.now()).toBe(0);
    expect(budget.spent.writes).toBe(5);

    expect(await sendTimes(budget, time, 1, 'writes', 'a')).toEqual([60_000]);
  });

  it('rests for a minute and a second if the limit was exceeded, and not otherwise', async () => {
    const time = clock();
    const budget = open(time, unpacedLimits);

    await budget.rest('writes', 'a');
    expect(time.now()).toBe(0);
    budget.count('writes', 'a');
    await time.sleep(20_000);
    budget.count('writes', 'a');
    await budget.rest('writes', 'b');
    await budget.rest('writes', 'a', 2);
    expect(time.now()).toBe(20_000);
    await budget.rest('writes', 'a', 1);
    expect(time.now()).toBe(61_000);
    await budget.rest('writes', 'a');
    expect(time.now()).toBe(81_000);
  });

  it('never waits if there is no limit', async () => {
    const time = clock();
    const budget = open(time, unpacedLimits);
    for (const kind of ['requests', 'writes', 'contactRequests', 'messages'] as const) {
      await sendTimes(budget, time, 500, kind);
    }

    expect(time.now()).toBe(0);
    expect(budget.spent.writes).toBe(500);
  });

  it('waits at most two minutes in total after a 429', async () => {
    const budget = open(clock());

    expect(await budget.waitOut(100)).toBe(true);
    expect(await budget.waitOut(30)).toBe(false);
    expect(await budget.waitOut(20)).toBe(true);
    expect(budget.spent).toMatchObject({ waitedMs: 120_000, limited: 3 });
  });
});
