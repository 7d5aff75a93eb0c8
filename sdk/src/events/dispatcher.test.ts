import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { makeStreamClient } from '../../testing/stream-client.ts';
import { makeEventId, makeOrderEvent, serveStream } from '../../testing/stream-server.ts';
import type { HandlerFailure } from '../transport/hooks.ts';

/** A server that sends these events on each connection. */
function sending(...frames: readonly object[]) {
  return serveStream((connection) => {
    for (const frame of frames) connection.send(frame);
  });
}

describe('listening', () => {
  it('finishes an event when the loop requests the next one', async () => {
    const server = await sending(makeOrderEvent(1), makeOrderEvent(2));
    const { platform, signal, stop } = makeStreamClient(server.url);
    const seen: [string, number][] = [];

    for await (const { event_id, attempt } of platform.events.listen({ signal })) {
      seen.push([event_id, (await platform.events.list('finished')).length]);
      expect(attempt).toBe(1);
      if (seen.length === 2) stop();
    }

    expect(seen).toEqual([
      [makeEventId(1), 0],
      [makeEventId(2), 1],
    ]);
    expect(await platform.events.list('finished')).toHaveLength(2);
  });

  it('leases an event again after a delay, unless it was finished', async () => {
    const server = await sending(makeOrderEvent(1), makeOrderEvent(2));
    const { platform, signal } = makeStreamClient(server.url);

    for await (const event of platform.events.listen({ signal })) {
      expect(event.event_id).toBe(makeEventId(1));
      break;
    }
    for await (const event of platform.events.listen({ signal })) {
      expect([event.event_id, event.attempt]).toEqual([makeEventId(1), 1]);
      expect(await event.done()).toBe(true);
      break;
    }
    for await (const event of platform.events.listen({ signal })) {
      expect(event.event_id).toBe(makeEventId(2));
      break;
    }
  });

  it('skips events of other kinds, which keep waiting for another program', async () => {
    const requested = { type: 'event', event_id: makeEventId(1), kind: 'contact.requested', payload: {} };
    const server = await sending(requested, makeOrderEvent(2));
    const { platform, signal } = makeStreamClient(server.url);

    for await (const event of platform.events.listen({ signal, kinds: ['order.changed'] })) {
      expect(event.event_id).toBe(makeEventId(2));
      await event.done();
      break;
    }

    expect(await platform.events.list('waiting')).toMatchObject([{ event: { event_id: makeEventId(1) }, attempts: 0 }]);
  });

  it('returns stored events before it reports that the stream has ended', async () => {
    const server = await serveStream((connection) => {
      connection.send(makeOrderEvent(1));
      connection.send(makeOrderEvent(2));
      setTimeout(() => connection.close(4403), 100);
    });
    const { platform, signal } = makeStreamClient(server.url);
    const seen: string[] = [];

    const listening = (async () => {
      for await (const { event_id } of platform.events.listen({ signal })) {
        seen.push(event_id);
        await delay(200);
      }
    })();

    expect(await failureOf(listening)).toMatchObject({ code: 'stream_forbidden' });
    expect(seen).toEqual([makeEventId(1), makeEventId(2)]);
  });
});

describe('running handlers', () => {
  it('passes each event through the middlewares and then the handlers of its kind, in order', async () => {
    const server = await sending(makeOrderEvent(1));
    const { platform, signal, stop } = makeStreamClient(server.url);
    const steps: string[] = [];
    platform.events.use(async (event, { attempt }, next) => {
      steps.push(`before ${event.kind} ${attempt}`);
      await next();
      steps.push('after');
      stop();
    });
    platform.events.use(async (_, __, next) => {
      steps.push('inner');
      await next();
    });
    platform.events.on('order.changed', ({ payload }) => {
      steps.push(`one ${payload.status}`);
    });
    platform.events.on('order.changed', () => {
      steps.push('two');
    });
    const off = platform.events.on('order.changed', () => {
      steps.push('gone');
    });
    platform.events.on('contact.requested', () => {
      steps.push('another kind');
    });
    off();

    await platform.events.run({ signal });

    expect(steps).toEqual(['before order.changed 1', 'inner', 'one offered', 'two', 'after']);
    expect(await platform.events.list('finished')).toHaveLength(1);
  });

  it('retries an event after a failure, reports it, and finally parks it', async () => {
    const server = await sending(makeOrderEvent(1), makeOrderEvent(2));
    const told: HandlerFailure[] = [];
    // The clock runs 200 times as fast, so that the test does not wait for the delays between attempts.
    const startMs = Date.now();
    const { platform, signal, stop } = makeStreamClient(server.url, {
      now: () => startMs + (Date.now() - startMs) * 200,
      hooks: { onHandlerFailure: (info) => told.push(info) },
    });
    platform.events.on('order.changed', ({ event_id }) => {
      if (event_id === makeEventId(1)) throw new Error('it never works');
    });

    const running = platform.events.run({ signal, attemptsMax: 3 });
    await vi.waitFor(async () => expect(await platform.events.list('failed')).toHaveLength(1), { timeout: 120_000 });
    stop();
    await running;

    expect(told.map(({ attempt, waitMs }) => [attempt, waitMs])).toEqual([
      [1, 500],
      [2, 1_000],
      [3, null],
    ]);
    expect(await platform.events.list('failed')).toMatchObject([
      { event: { event_id: makeEventId(1) }, attempts: 3, reason: 'it never works' },
    ]);
    expect(await platform.events.list('finished')).toMatchObject([{ event: { event_id: makeEventId(2) } }]);
  });

  it('parks an event whose handler never ended', async () => {
    const server = await sending(makeOrderEvent(1));
    const told: HandlerFailure[] = [];
    const hooks = { onHandlerFailure: (info: HandlerFailure) => told.push(info) };
    const { platform, signal, stop } = makeStreamClient(server.url, { hooks });
    for await (const _ of platform.events.receive({ signal })) break;
    for (let round = 0; round < 2; round += 1) {
      const lease = await platform.events.next();
      if (lease !== undefined) await platform.events.putBack(lease);
    }

    const running = platform.events.run({ signal, attemptsMax: 2 });
    await vi.waitFor(async () => expect(await platform.events.list('failed')).toHaveLength(1), 120_000);
    stop();
    await running;
    const reason = 'Attempt 2, the last one, was interrupted.';
    expect(await platform.events.list('failed')).toMatchObject([{ reason }]);
    expect(told).toMatchObject([{ eventId: makeEventId(1), attempt: 2, error: { message: reason }, waitMs: null }]);
  });

  it('parks an event of a later version, and continues', async () => {
    const server = await sending({ ...makeOrderEvent(1), kind: 'weather.changed' }, makeOrderEvent(2));
    const told: HandlerFailure[] = [];
    const hooks = { onHandlerFailure: (info: HandlerFailure) => told.push(info) };
    const { platform, signal, stop } = makeStreamClient(server.url, { hooks });
    platform.events.on('order.changed', () => stop());

    await platform.events.run({ signal });

    expect(await platform.events.list('failed')).toMatchObject([{ event: { kind: 'weather.changed' } }]);
    expect(told).toMatchObject([{ kind: 'weather.changed', waitMs: null }]);
  });

  it('handles up to the maximum number of events at the same time, but never two of one topic', async () => {
    const server = await sending(
      makeOrderEvent(1, 1),
      makeOrderEvent(2, 1),
      makeOrderEvent(3, 3),
      makeOrderEvent(4, 4),
    );
    const { platform, signal, stop } = makeStreamClient(server.url);
    const running = new Set<string>();
    const together: string[][] = [];
    platform.events.on('order.changed', async ({ event_id }) => {
      running.add(event_id);
      together.push([...running].toSorted());
      await delay(100);
      running.delete(event_id);
      if (event_id === makeEventId(2)) stop();
    });

    await platform.events.run({ signal, concurrency: 3 });

    const largest = together.toSorted((one, other) => other.length - one.length)[0];
    expect(largest).toEqual([makeEventId(1), makeEventId(3), makeEventId(4)]);
    expect(together.some((ids) => ids.includes(makeEventId(1)) && ids.includes(makeEventId(2)))).toBe(false);
  });

  it('renews the lease of a slow handler', async () => {
    const server = await sending(makeOrderEvent(1));
    const { platform, signal, stop } = makeStreamClient(server.url);
    let calls = 0;
    platform.events.on('order.changed', async () => {
      calls += 1;
      await delay(2_500);
      stop();
    });

    await platform.events.run({ signal, leaseMs: 1_000, concurrency: 2 });

    expect(calls).toBe(1);
    expect(await platform.events.list('finished')).toHaveLength(1);
  });

  it('waits for an aborted handler, and retries an unfinished event', async () => {
    const server = await sending(makeOrderEvent(1));
    const { platform, signal, stop } = makeStreamClient(server.url);
    platform.events.on('order.changed', async (_, context) => {
      stop();
      await delay(50);
      context.signal.throwIfAborted();
    });

    await platform.events.run({ signal });

    expect(await platform.events.list('waiting')).toMatchObject([{ attempts: 0, reason: null }]);
  });
});

describe('the inbox', () => {
  it('is emptied without a connection, event by event', async () => {
    const server = await sending(makeOrderEvent(1), makeOrderEvent(2));
    const { platform, signal } = makeStreamClient(server.url);
    let count = 0;
    for await (const _ of platform.events.receive({ signal })) if (++count === 2) break;

    const lease = await platform.events.next({ leaseMs: 60_000 });
    expect(lease).toMatchObject({ event: { event_id: makeEventId(1), kind: 'order.changed' }, attempt: 1 });
    expect(await platform.events.done(makeEventId(1), 'another lease')).toBe(false);
    expect(await platform.events.done(makeEventId(1), lease?.lease_id)).toBe(true);
    expect(await platform.events.done(makeEventId(1))).toBe(false);
    const other = await platform.events.next();
    if (other !== undefined) await platform.events.park(other, 'not for us');
    expect(await platform.events.next()).toBeUndefined();
    expect(await platform.events.replay(makeEventId(2))).toBe(true);
    expect(await platform.events.replay(makeEventId(1))).toBe(true);
    expect(await platform.events.list('waiting')).toHaveLength(2);
  });

  it('refuses an invalid lease time', async () => {
    const { platform } = makeStreamClient('http://127.0.0.1:1');

    expect(await failureOf(platform.events.next({ leaseMs: 1 }))).toMatchObject({ code: 'invalid_option' });
    expect(await failureOf(platform.events.run({ concurrency: 0 }))).toMatchObject({ code: 'invalid_option' });
  });
});
