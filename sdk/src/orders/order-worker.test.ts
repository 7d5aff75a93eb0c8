import { expect, it, onTestFinished, vi } from 'vitest';
import { sampleOrder as orderOnWire, sampleFriendId } from '../../testing/orders.ts';
import { makeEventId } from '../../testing/stream-server.ts';
import { ApiError, type ApiErrorCode, ConnectionError } from '../errors.ts';
import { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import type { HandlerFailure } from '../transport/hooks.ts';
import { sleep } from '../transport/sleep.ts';
import { OrderChangeNotifier } from './order-change-notifier.ts';
import type { Order, OrderVersion } from './order-types.ts';
import { type OrderHandler, OrderWorker } from './order-worker.ts';

const [first, second] = [makeEventId(1), makeEventId(2)];
const isFunded = { state: 'funded' } as const;

function refusal(code: ApiErrorCode, status: number): ApiError {
  const parts = { serverCode: code, message: code, requestId: null, retryAfterSeconds: null, details: [] };
  return new ApiError({ status, code, ...parts, retryable: status >= 500 });
}

/** A worker for the contractor, with orders in memory. Delays are a hundred times shorter. */
function working(orders: readonly object[], rule: { concurrency?: number; pollEveryMs?: number } = {}) {
  const stored = new Map<string, Order>();
  for (const one of orders) {
    const order = { ...orderOnWire, id: first, author_id: orderOnWire.customer.id, ...one } as unknown as Order;
    stored.set(order.id, order);
  }
  const change = (id: string, changes: Partial<Order>) => {
    const order = stored.get(id) as Order;
    const changed = { ...order, version: order.version + 1, ...changes } as Order;
    stored.set(id, changed);
    return changed;
  };
  const failures: HandlerFailure[] = [];
  const changes = new OrderChangeNotifier();
  const faults: { list?: unknown; read?: unknown; settle?: unknown } = {};
  const counts = { lists: 0, reads: 0, settled: 0 };
  const throwOnce = (name: keyof typeof faults) => {
    const fault = faults[name];
    delete faults[name];
    if (fault !== undefined) throw fault;
  };
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const parts = {
    me: sampleFriendId,
    list: async function* (state: Order['state']) {
      if (state === 'offered') counts.lists += 1;
      throwOnce('list');
      yield* [...stored.values()].filter((order) => order.state === state);
    },
    read: async (id: string) => {
      counts.reads += 1;
      throwOnce('read');
      return stored.get(id) as Order;
    },
    settle: async () => {
      const had = faults.settle;
      throwOnce('settle');
      return had === undefined ? 0 : 1;
    },
    send: async ({ id, version }: OrderVersion, action: string) => {
      if (stored.get(id)?.version !== version) throw refusal('version_conflict', 409);
      const state = action === 'accept' ? 'funded' : action === 'start' ? 'in_progress' : 'delivered';
      return change(id, { state });
    },
    changes,
    failures: new HandlerFailureReporter({ onHandlerFailure: (failure) => failures.push(failure) }),
    settings: {
      now: Date.now,
      random: () => 0,
      sleep: (milliseconds: number, signal: AbortSignal | undefined) => sleep(milliseconds / 100, signal),
    },
  };
  const run = (handler: OrderHandler, role: 'customer' | 'contractor' | undefined = undefined) =>
    new OrderWorker(parts, { role, concurrency: 1, pollEveryMs: 1_000, signal: ending.signal, ...rule }, handler).run();
  return { stored, change, changes, failures, faults, counts, run, stop: () => ending.abort() };
}

it('handles an order from offer to delivery, with one action per call', async () => {
  const { run, stop } = working([{}]);
  const calls: string[] = [];

  await run(async (order, { accept, start, deliver }, { role, attempt }) => {
    calls.push(`${order.version} ${order.state} ${role} ${attempt}`);
    if (accept) await accept();
    else if (start) await start();
    else await deliver?.({ result_text: 'done' });
    if (deliver) stop();
  });

  expect(calls).toEqual(['1 offered contractor 1', '2 funded contractor 1', '3 in_progress contractor 1']);
});

it('skips an order on which the handler took no action, until it changes', async () => {
  const { run, stop, change, counts } = working([isFunded]);
  const versions: number[] = [];
  const running = run(({ version }) => {
    versions.push(version);
    if (version === 2) stop();
  });
  await vi.waitUntil(() => counts.lists >= 4, 120_000);
  expect(versions).toEqual([1]);
  change(first, {});
  await running;

  expect(versions).toEqual([1, 2]);
});

it('handles the oldest order first, and only orders in the given role', async () => {
  const customers = {
    id: second,
    customer: orderOnWire.contractor,
    contractor: orderOnWire.customer,
  };
  const { run, stop, counts } = working([
    { id: makeEventId(3), ...isFunded },
    { ...customers, state: 'delivered' },
    isFunded,
  ]);
  const seen: string[] = [];
  const running = run(({ id }) => void seen.push(id), 'contractor');
  await vi.waitUntil(() => counts.lists >= 2, 120_000);
  stop();
  await running;

  expect(seen).toEqual([first, makeEventId(3)]);
});

it('retries a handler that throws after growing delays, and reports each attempt', async () => {
  const { run, stop, failures } = working([isFunded]);
  const error = new Error('the disk is full');

  await run((_, __, { attempt }) => {
    if (attempt === 4) return stop();
    throw error;
  });

  const order = { source: 'order', kind: 'orders.work', orderId: first, version: 1, error };
  expect(failures).toEqual([
    { ...order, attempt: 1, waitMs: 500 },
    { ...order, attempt: 2, waitMs: 1_000 },
    { ...order, attempt: 3, waitMs: 2_000 },
  ]);
});

it('does not report that the other agent acted first, and continues with the new version', async () => {
  const { run, stop, change, failures } = working([isFunded]);
  const versions: number[] = [];

  await run(async ({ version }, { start }) => {
    versions.push(version);
    if (version > 1) return stop();
    change(first, {});
    await start?.();
  });

  expect([versions, failures]).toEqual([[1, 2], []]);
});

it('reports that a handler performed a second action, which its version of the order does not allow', async () => {
  const { run, stop, failures } = working([isFunded]);

  await run(async ({ version }, { start, dispute }) => {
    if (version > 1) return stop();
    await start?.();
    await dispute?.('too late');
  });

  expect(failures).toMatchObject([{ version: 1, error: { code: 'version_conflict' } }]);
});

it('reports a refusal of an order that has not changed', async () => {
  const { run, stop, failures } = working([isFunded]);

  await run((_, __, { attempt }) => {
    if (attempt === 2) return stop();
    throw refusal('insufficient_funds', 409);
  });

  expect(failures).toMatchObject([{ attempt: 1, error: { code: 'insufficient_funds' } }]);
});

it('waits at most 30 s for credits, because a grant of credits changes no order', async () => {
  const { run, stop, failures } = working([isFunded]);

  await run((_, __, { attempt }) => {
    if (attempt === 9) return stop();
    throw attempt === 8 ? new Error('another reason') : refusal('insufficient_funds', 409);
  });

  expect(failures.map(({ waitMs }) => waitMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 64_000]);
});

it('resends a command with an unknown outcome before it calls the handler', async () => {
  const { run, stop, faults, failures } = working([isFunded]);
  faults.settle = new Error('still not known');
  let calls = 0;

  await run((_, __, { attempt }) => {
    calls += 1;
    expect(attempt).toBe(2);
    stop();
  });

  expect([calls, failures.length]).toEqual([1, 1]);
});

it('waits for the end of outages, and ends on permanent errors', async () => {
  const outage = new ConnectionError('connection_failed', 'no server');
  const { run, stop, faults, failures } = working([isFunded]);
  Object.assign(faults, { list: outage, read: refusal('unavailable', 503) });
  await run(() => stop());
  expect(failures).toEqual([]);

  const other = working([isFunded]);
  other.faults.list = refusal('unauthorized', 401);
  await expect(other.run(() => undefined)).rejects.toMatchObject({ code: 'unauthorized' });
  const ended: boolean[] = [];
  const fourth = working([{ ...isFunded }, { ...isFunded, id: second }], { concurrency: 2 });
  const running = fourth.run(async (_, __, { signal }) => {
    fourth.faults.list = refusal('forbidden', 403);
    await vi.waitUntil(() => signal.aborted, 120_000);
    ended.push(true);
  });
  await expect(running).rejects.toMatchObject({ code: 'forbidden' });
  expect(ended).toEqual([true, true]);
  const third = working([isFunded]);
  third.faults.read = refusal('unauthorized', 401);
  await expect(third.run(() => undefined)).rejects.toMatchObject({ code: 'unauthorized' });
});

it('handles up to the maximum number of orders at the same time, and waits for them at the end', async () => {
  const { run, stop } = working(
    [1, 2, 3].map((number) => ({ id: makeEventId(number), ...isFunded })),
    { concurrency: 2 },
  );
  let [atWork, most, ended] = [0, 0, 0];

  await run(async (_, __, { signal }) => {
    atWork += 1;
    most = Math.max(most, atWork);
    await sleep(20, undefined);
    atWork -= 1;
    ended += 1;
    if (ended === 2) stop();
    if (ended === 3) expect(signal.aborted).toBe(true);
  });

  expect([most, ended, atWork]).toEqual([2, 3, 0]);
});

it('reads an order immediately after an event about it, and reads the list again when a stream opens', async () => {
  const { run, stop, change, changes, counts } = working([isFunded], { pollEveryMs: 10_000_000 });
  const versions: number[] = [];
  const running = run(({ version }) => {
    versions.push(version);
    if (version === 2) stop();
  });
  await vi.waitUntil(() => counts.reads === 1, 120_000);
  changes.onOpen();
  await vi.waitUntil(() => counts.lists === 2, 120_000);
  const { version } = change(first, {});
  changes.onEvent({ event_id: makeEventId(9), kind: 'order.changed', payload: { order_id: first, version } });
  await running;

  expect([versions, counts.lists]).toEqual([[1, 2], 2]);
});
