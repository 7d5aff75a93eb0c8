import { describe, expect, it, vi } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { sampleOrder as orderOnWire } from '../../testing/orders.ts';
import { failureOf } from '../../testing/records.ts';
import { breakConnection, type Responder, replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';
import { ConnectionError } from '../errors.ts';
import { sleep } from '../transport/sleep.ts';
import { OrderChangeNotifier, type OrderChangeSource } from './order-change-notifier.ts';
import type { Order } from './order-types.ts';
import { type WatchOptions, watchOrder } from './watch-order.ts';

function at(state: Order['state'], version: number): Responder {
  return replyJson(200, { order: { ...orderOnWire, state, version }, events: [] });
}

/** An order that the test can change, and a source that reports its changes. */
function changing(isLive: boolean) {
  const current = { order: { ...orderOnWire, version: 1 } as unknown as Order, reads: 0 };
  const listeners = new Set<() => void>();
  const changes: OrderChangeSource = {
    isLive: () => isLive,
    follow: (_, onNews) => {
      listeners.add(onNews);
      return () => listeners.delete(onNews);
    },
  };
  const read = async () => {
    current.reads += 1;
    return current.order;
  };
  return {
    current,
    listeners,
    change: (state: Order['state']) => {
      current.order = { ...current.order, state, version: current.order.version + 1 } as Order;
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
    watch: (options: WatchOptions = {}) => watchOrder({ orderId: 'x', read, changes, sleep }, options),
  };
}

describe('watching an order', () => {
  it('yields the current order, then every change, and ends with the final state', async () => {
    const server = await serveScript(at('offered', 1), at('offered', 1), at('funded', 2), at('closed', 5));
    const states: string[] = [];
    for await (const { state, version } of makeTestClient(server.url).orders.watch(orderOnWire.id)) {
      states.push(`${version} ${state}`);
    }

    expect(states).toEqual(['1 offered', '2 funded', '5 closed']);
    expect(server.received).toHaveLength(4);
  });

  it('yields a final order once', async () => {
    const server = await serveScript(at('rejected', 2));
    const states: string[] = [];
    for await (const { state } of makeTestClient(server.url).orders.watch(orderOnWire.id)) states.push(state);

    expect([states, server.received.length]).toEqual([['rejected'], 1]);
  });

  it('waits until an outage ends, and fails if waiting does not help', async () => {
    const server = await serveScript(
      at('offered', 1),
      breakConnection,
      replyError(503, 'unavailable'),
      at('cancelled', 2),
    );
    const platform = makeTestClient(server.url, { maxRetries: 0 });
    const states: string[] = [];
    for await (const { state } of platform.orders.watch(orderOnWire.id)) states.push(state);
    expect(states).toEqual(['offered', 'cancelled']);

    const foreign = await serveScript(replyError(404, 'not_found'));
    expect(await failureOf(makeTestClient(foreign.url).orders.watch('x').next())).toMatchObject({ code: 'not_found' });
    for (const pollEveryMs of [0, 2 ** 31]) {
      expect(await failureOf(platform.orders.watch('x', { pollEveryMs }).next())).toMatchObject({
        code: 'invalid_option',
      });
    }
  });

  it('reads immediately after a notification, and polls rarely while the stream is open', async () => {
    const watched = changing(true);
    const states = watched.watch({ pollEveryMs: 1 });
    expect((await states.next()).value).toMatchObject({ version: 1 });
    const second = states.next();
    await sleep(30, undefined);
    expect(watched.current.reads).toBe(1);
    watched.change('funded');
    watched.tell();

    expect((await second).value).toMatchObject({ version: 2, state: 'funded' });
    const third = states.next();
    await sleep(30, undefined);
    // One initial read, and one for the reported change.
    expect(watched.current.reads).toBe(2);
    watched.change('in_progress');
    watched.tell();
    expect((await third).value).toMatchObject({ version: 3 });
    await states.return();
    expect(watched.listeners.size).toBe(0);
  });

  it('does not miss a notification that arrives during a read, or while the caller is busy', async () => {
    const watched = changing(true);
    const states = watched.watch();
    expect((await states.next()).value).toMatchObject({ version: 1 });
    // No call of `next()` is waiting now.
    watched.change('cancelled');
    watched.tell();

    expect((await states.next()).value).toMatchObject({ version: 2, state: 'cancelled' });
    expect(await states.next()).toMatchObject({ done: true });
  });

  it('reads again soon when a read after an event failed', async () => {
    const watched = changing(true);
    const reads = [
      () => Promise.reject(new ConnectionError('connection_failed', 'm')),
      async () => watched.current.order,
    ];
    const read = () => (reads.shift() ?? (async () => watched.current.order))();
    const states = watchOrder(
      { orderId: 'x', read, changes: { isLive: () => true, follow: () => () => undefined }, sleep },
      { pollEveryMs: 1 },
    );

    expect((await states.next()).value).toMatchObject({ version: 1 });
    await states.return();
  });

  it('ends with the reason of the signal at any time', async () => {
    const controller = new AbortController();
    const watched = changing(false);
    const states = watched.watch({ signal: controller.signal });
    await states.next();
    const waiting = failureOf(states.next());
    await vi.waitFor(() => expect(watched.listeners.size).toBe(1), 120_000);
    controller.abort(new Error('enough'));

    expect(await waiting).toMatchObject({ message: 'enough' });
    expect(watched.listeners.size).toBe(0);
    expect(await failureOf(watched.watch({ signal: controller.signal }).next())).toMatchObject({ message: 'enough' });
  });

  it('passes on the error of an invalid response', async () => {
    const read = () => Promise.reject(new ConnectionError('unreadable_answer', 'm'));
    const states = watchOrder({ orderId: 'x', read, changes: new OrderChangeNotifier(), sleep }, {});

    expect(await failureOf(states.next())).toMatchObject({ code: 'unreadable_answer' });
  });
});
