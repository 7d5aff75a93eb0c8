import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDurableState, type StateFactory, stateFactories, storeEvent } from '../../testing/states.ts';
import type { PendingOperation, StateLimits, StoredEvent } from './client-state.ts';

const owner = { origin: 'https://platform.example', bot_id: '01931f6e-0000-7000-8000-000000000001' };

async function open(make: StateFactory, limits: StateLimits = {}) {
  const place = makeTestFolder();
  const state = make(place, limits);
  onTestFinished(() => state.close());
  const opened = await state.open(owner);
  return { ...opened, state, place };
}

function eventOf(number: number): StoredEvent {
  return {
    event_id: `01931f6e-0000-7000-8000-${String(number).padStart(12, '0')}`,
    kind: 'message.created',
    payload: { number },
  };
}

const orderOf = (number: number): StoredEvent => ({ ...eventOf(number), kind: 'order.changed' });
const requestOf = (number: number): StoredEvent => ({ ...eventOf(number), kind: 'contact.requested' });
const [first, second, third] = [eventOf(1), eventOf(2), eventOf(3)];
const leaseMs = 1_000;

describe.each(stateFactories)('the inbox in $name', ({ make }) => {
  it('stores an event once, finished or not', async () => {
    const { inbox } = await open(make);

    expect(await storeEvent(inbox, first, 'a')).toBe('kept');
    expect(await storeEvent(inbox, first, 'a')).toBe('known');
    expect(await inbox.finish(first.event_id, undefined, 2)).toBe(true);
    expect(await storeEvent(inbox, first, 'a')).toBe('known');
    expect(await inbox.lease(4, 4 + leaseMs)).toBeUndefined();
    expect(await inbox.list('finished')).toMatchObject([{ event: first, status: 'finished' }]);
  });

  it('leases the oldest event, and nothing of its topic until it is finished', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, second, 'a');
    await storeEvent(inbox, third, 'b');

    const one = await inbox.lease(0, leaseMs);
    const other = await inbox.lease(0, leaseMs);
    expect([one?.event, other?.event]).toEqual([first, third]);
    expect(await inbox.lease(0, leaseMs)).toBeUndefined();
    expect(await inbox.finish(first.event_id, one?.lease_id, 1)).toBe(true);
    expect((await inbox.lease(1, leaseMs))?.event).toEqual(second);
  });

  it('skips events of other kinds, which keep waiting', async () => {
    const { inbox } = await open(make);
    const contact = { ...second, kind: 'contact.accepted' };
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, contact, 'a');
    await storeEvent(inbox, third, 'a');

    expect(await inbox.lease(0, leaseMs, ['order.changed'])).toBeUndefined();
    const overtaking = await inbox.lease(0, leaseMs, ['contact.accepted']);
    expect(overtaking?.event).toEqual(contact);
    const kinds = ['message.created', 'order.changed'];
    const lease = await inbox.lease(0, leaseMs, kinds);
    expect(lease?.event).toEqual(first);
    // Events of these kinds are leased in order.
    expect(await inbox.lease(0, leaseMs, kinds)).toBeUndefined();
    await inbox.finish(first.event_id, lease?.lease_id, 1);
    expect((await inbox.lease(1, leaseMs, kinds))?.event).toEqual(third);
    expect(await inbox.list('leased')).toMatchObject([{ event: contact }, { event: third }]);
  });

  it('leases an event again when its lease has ended, and the first lease no longer counts', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    const lost = await inbox.lease(0, leaseMs);

    expect(await inbox.lease(leaseMs - 1, 2 * leaseMs)).toBeUndefined();
    const held = await inbox.lease(leaseMs, 2 * leaseMs);
    expect([lost?.attempt, held?.attempt]).toEqual([1, 2]);
    const lostId = lost?.lease_id ?? '';
    expect(await inbox.renew(first.event_id, lostId, 9_000)).toBe(false);
    expect(await inbox.postpone(first.event_id, lostId, { dueMs: 0, attempts: 0, reason: null })).toBe(false);
    expect(await inbox.park(first.event_id, lostId, 'no')).toBe(false);
    expect(await inbox.finish(first.event_id, lostId, 3)).toBe(false);
    expect(await inbox.finish(first.event_id, held?.lease_id, 3)).toBe(true);
  });

  it('renews a lease under the same id, any number of times', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    const lease = await inbox.lease(0, leaseMs);
    const leaseId = lease?.lease_id ?? '';

    expect(await inbox.renew(first.event_id, leaseId, 5_000)).toBe(true);
    expect(await inbox.renew(first.event_id, leaseId, 5_000)).toBe(true);
    expect(await inbox.lease(4_999, 9_000)).toBeUndefined();
    expect(await inbox.finish(first.event_id, leaseId, 4_999)).toBe(true);
  });

  it('leases a postponed event again when it is due, and blocks its topic until then', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, second, 'a');
    const lease = await inbox.lease(0, leaseMs);

    await inbox.postpone(first.event_id, lease?.lease_id ?? '', { dueMs: 500, attempts: 1, reason: 'not yet' });
    expect(await inbox.list('waiting')).toMatchObject([{ event: first, reason: 'not yet' }, { event: second }]);
    expect(await inbox.lease(499, leaseMs)).toBeUndefined();
    expect(await inbox.lease(500, leaseMs)).toMatchObject({ event: first, attempt: 2 });
  });

  it('makes postponed events due immediately, and changes no lease', async () => {
    const { inbox } = await open(make);
    for (const [event, topic] of [
      [first, 'a'],
      [second, 'b'],
      [third, 'c'],
    ] as const)
      await storeEvent(inbox, event, topic);
    for (const event of [first, second]) {
      const lease = await inbox.lease(0, leaseMs);
      await inbox.postpone(event.event_id, lease?.lease_id ?? '', { dueMs: 500, attempts: 0, reason: 'not yet' });
    }
    const held = await inbox.lease(0, leaseMs);

    await inbox.hasten([second.event_id, third.event_id, eventOf(4).event_id], 100);

    expect(await inbox.lease(100, leaseMs)).toMatchObject({ event: second });
    expect(await inbox.lease(499, leaseMs)).toBeUndefined();
    expect(await inbox.finish(third.event_id, held?.lease_id, 500)).toBe(true);
  });

  it('parks a failed event, unblocks its topic, and releases it behind the others', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, second, 'a');
    const lease = await inbox.lease(0, leaseMs);

    expect(await inbox.park(first.event_id, lease?.lease_id ?? '', 'it never works')).toBe(true);
    expect(await inbox.list('failed')).toEqual([
      { event: first, status: 'failed', attempts: 1, reason: 'it never works' },
    ]);
    expect(await inbox.release(second.event_id, 1)).toBe(false);
    expect(await inbox.release(first.event_id, 1)).toBe(true);
    expect(await inbox.list('waiting')).toMatchObject([{ event: second }, { event: first, reason: null, attempts: 0 }]);
  });

  it('leases a finished event again when it is released', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    await inbox.finish(first.event_id, undefined, 0);

    expect(await inbox.release(first.event_id, 5)).toBe(true);
    expect(await storeEvent(inbox, first, 'a')).toBe('known');
    expect(await inbox.lease(5, leaseMs)).toMatchObject({ event: first, attempt: 1 });
    expect(await inbox.list('finished')).toEqual([]);
  });

  it('stores unfinished events of each kind up to the limit, and only events before the first excess one', async () => {
    const { inbox } = await open(make, { unfinishedMax: 2 });
    await storeEvent(inbox, first, 'a');
    const received = [first, second, orderOf(4), third, orderOf(5)];

    const all = received.map((event) => ({ event, topic: event.event_id, share: 'a' }));
    expect(await inbox.keepAll(all)).toEqual(['known', 'kept', 'kept']);
    expect(await inbox.keepAll(all.slice(4))).toEqual(['kept']);
    expect(await storeEvent(inbox, orderOf(6), '6')).toBe('full');
    expect(await storeEvent(inbox, requestOf(7), '7')).toBe('kept');
    const lease = await inbox.lease(0, leaseMs);
    await inbox.park(first.event_id, lease?.lease_id ?? '', 'no');
    expect(await storeEvent(inbox, third, 'c')).toBe('kept');
  });

  it('frees space by parking the newest waiting events of the largest share, of one kind', async () => {
    const { inbox } = await open(make);
    for (const number of [1, 2, 3]) await storeEvent(inbox, eventOf(number), 'flooding');
    for (const number of [4, 5]) await storeEvent(inbox, orderOf(number), `order ${number}`, 'flooding');
    await storeEvent(inbox, orderOf(6), 'order 6', 'quiet');
    await storeEvent(inbox, eventOf(7), 'quiet');

    expect(await inbox.makeRoom('message.created', 2, 'full')).toMatchObject([
      { event: third, reason: 'full' },
      { event: second },
    ]);
    expect(await inbox.makeRoom('order.changed', 1, 'full')).toMatchObject([{ event: orderOf(5) }]);
    expect(await inbox.makeRoom('contact.requested', 1, 'full')).toEqual([]);
    expect(await inbox.list('failed')).toMatchObject([{ event: second }, { event: third }, { event: orderOf(5) }]);
  });

  it('drops the oldest failed events of the largest share above the limit; they can still be released', async () => {
    const { inbox } = await open(make, { unfinishedMax: 2 });
    for (const [index, topic] of ['quiet', 'flooding', 'flooding'].entries()) {
      await storeEvent(inbox, eventOf(index + 1), topic);
      expect(await inbox.dropFailed(0)).toEqual([]);
      await inbox.makeRoom('message.created', 1, 'no');
    }

    expect(await inbox.dropFailed(0)).toMatchObject([{ event: second, reason: 'no' }]);
    expect((await inbox.list('failed')).map(({ event }) => event)).toEqual([first, third]);
    expect(await inbox.release(second.event_id, 0)).toBe(true);
  });

  it('leases events from shares in turn, whatever their outcome', async () => {
    const { inbox } = await open(make);
    for (const number of [1, 2, 3]) await storeEvent(inbox, eventOf(number), 'flooding');
    for (const number of [4, 5, 6]) await storeEvent(inbox, orderOf(number), `order ${number}`, 'ordering');
    await storeEvent(inbox, orderOf(7), 'order 7', 'quiet');
    const leased: string[] = [];
    for (let lease = await inbox.lease(0, leaseMs); lease !== undefined; lease = await inbox.lease(0, leaseMs)) {
      leased.push(lease.event.event_id);
      if (leased.length % 2 === 0) await inbox.finish(lease.event.event_id, lease.lease_id, 0);
      else await inbox.park(lease.event.event_id, lease.lease_id, 'no');
    }

    expect(leased).toEqual([1, 4, 7, 2, 5, 3, 6].map((number) => eventOf(number).event_id));
  });

  it('remembers only the latest finished events, up to the limit', async () => {
    const { inbox } = await open(make, { finishedMax: 2 });
    for (const event of [first, second, third]) {
      await storeEvent(inbox, event, 'a');
      await inbox.finish(event.event_id, undefined, 0);
    }

    expect((await inbox.list('finished')).map(({ event }) => event)).toEqual([second, third]);
    expect(await storeEvent(inbox, first, 'a')).toBe('kept');
  });

  it('leases new events in the order of arrival, whatever the clock says', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, second, 'a');

    expect((await inbox.list('waiting')).map(({ event }) => event)).toEqual([first, second]);
    expect(await inbox.lease(0, 1_000)).toMatchObject({ event: first });
  });
});

describe.each(stateFactories)('the operations in $name', ({ make }) => {
  const operationOf = (operation_id: string, body: object): PendingOperation => ({
    operation_id,
    operation: 'startOrder',
    order_id: null,
    body: { operation_id, ...body },
    kept_at: '2026-11-21T09:00:00.000Z',
  });

  it('are kept beside the messages, oldest first and byte for byte, until they are removed', async () => {
    const { operations, outbox } = await open(make, { outboxMax: 2 });
    const one = operationOf('90000000-0000-4000-8000-000000000002', { title: 'Ü "1"\n', z: 1, a: [1, null] });
    const other = operationOf('10000000-0000-4000-8000-000000000001', {});

    expect([await operations.keep(one), await operations.keep(other)]).toEqual(['kept', 'kept']);
    expect(await operations.keep({ ...one, order_id: 'x' })).toBe('known');
    expect(await operations.keep(operationOf('20000000-0000-4000-8000-000000000001', {}))).toBe('full');
    expect(JSON.stringify(await operations.list())).toBe(JSON.stringify([one, other]));
    expect(await outbox.list()).toEqual([]);
    await operations.remove(one.operation_id);
    expect(await operations.list()).toEqual([other]);
  });
});

describe('the operations in node:sqlite', () => {
  it('outlive the process', async () => {
    const { operations, state, place } = await open(makeDurableState);
    const kept_at = '2026-11-21T09:00:00.000Z';
    await operations.keep({ operation_id: first.event_id, operation: 'startOrder', order_id: 'x', body: {}, kept_at });
    await state.close();

    const again = makeDurableState(place);
    onTestFinished(() => again.close());
    expect(await (await again.open(owner)).operations.list()).toMatchObject([{ operation_id: first.event_id }]);
  });
});

describe.each(stateFactories)('a snapshot of the inbox in $name', ({ make }) => {
  it('returns the events stored since the last one, in order, finished or not', async () => {
    const { inbox } = await open(make);
    await storeEvent(inbox, first, 'a');
    const before = await inbox.snapshot();
    await storeEvent(inbox, third, 'b');
    await storeEvent(inbox, second, 'a');
    await inbox.finish(third.event_id, undefined, 4_000);

    const after = await inbox.snapshot(before.ids);
    expect(before).toEqual({ ids: new Set([first.event_id]), arrived: [] });
    expect(after.arrived).toEqual([third, second]);
    expect((await inbox.snapshot(after.ids)).arrived).toEqual([]);
  });
});
