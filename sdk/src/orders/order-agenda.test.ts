import { describe, expect, it } from 'vitest';
import { OrderAgenda } from './order-agenda.ts';

const a = { id: 'a', version: 1 };
const b = { id: 'b', version: 4 };

function agendaOf(...orders: readonly { id: string; version: number }[]) {
  const agenda = new OrderAgenda();
  agenda.takeList(orders, 0);
  return agenda;
}

describe('the agenda of orders', () => {
  it('starts each listed order once, from first to last', () => {
    const agenda = agendaOf(a, b);
    agenda.takeList([a, b], 0);

    expect([agenda.start(0), agenda.start(0), agenda.start(0)]).toEqual(['a', 'b', undefined]);
    expect(agenda.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('starts a handled order again only at a new version', () => {
    const agenda = agendaOf(a);
    agenda.start(0);
    agenda.rest(a, 0);
    agenda.takeList([a], 5);
    agenda.report(a, 5);
    expect([agenda.isHandled(a), agenda.start(5)]).toEqual([true, undefined]);

    agenda.report({ id: 'a', version: 2 }, 6);
    expect([agenda.isHandled({ id: 'a', version: 2 }), agenda.start(6)]).toEqual([false, 'a']);
  });

  it('reads an order again if its next version was reported while its handler was running', () => {
    const agenda = agendaOf(a, b);
    agenda.start(0);
    agenda.start(0);
    agenda.report({ id: 'a', version: 2 }, 1);
    agenda.report(b, 1);
    agenda.rest(a, 2);
    agenda.rest(b, 2);

    expect([agenda.start(2), agenda.start(2)]).toEqual(['a', undefined]);
    // A reported version that no read returns causes only one read.
    agenda.report({ id: 'a', version: 1_000 }, 3);
    agenda.rest(a, 3);
    expect(agenda.start(3)).toBe('a');
    agenda.rest(a, 3);
    expect(agenda.start(3)).toBeUndefined();
  });

  it('waits after a failure, even if the same version is listed, and counts the attempts at a version', () => {
    const agenda = agendaOf(a);
    for (const attempt of [1, 2]) {
      agenda.start(1_000 * attempt);
      expect(agenda.attemptOf(a)).toBe(attempt);
      agenda.takeList([a], 1_000 * attempt);
      agenda.fail(a, 1_000, 1_000 * attempt);
      agenda.takeList([a], 1_000 * attempt + 999);
      expect(agenda.start(1_000 * attempt + 999)).toBeUndefined();
    }
    expect(agenda.nextDueMs()).toBe(3_000);

    const next = { id: 'a', version: 2 };
    agenda.report(next, 2_001);
    expect([agenda.start(2_001), agenda.attemptOf(next)]).toEqual(['a', 1]);
  });

  it('reads an order after a delay', () => {
    const agenda = agendaOf(a);
    agenda.start(0);
    agenda.delay('a', 50, 0);

    expect([agenda.start(49), agenda.nextDueMs(), agenda.start(50)]).toEqual([undefined, 50, 'a']);
  });

  it('drops orders that are no longer listed, except those reported since', () => {
    const agenda = agendaOf(a, b);
    agenda.start(0);
    agenda.rest(a, 0);
    agenda.start(0);
    agenda.fail(b, 1_000, 0);
    agenda.report({ id: 'c', version: 1 }, 1);
    agenda.takeList([], 1);

    expect([agenda.isHandled(a), agenda.attemptOf(b)]).toEqual([false, 1]);
    expect([agenda.start(9_999), agenda.start(9_999)]).toEqual(['c', undefined]);
  });
});
