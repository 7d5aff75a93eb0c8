import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { makeEventId } from '../../testing/stream-server.ts';
import type { EventHandlerFailure, HandlerFailure } from '../transport/hooks.ts';
import { HandlerFailureReporter } from './handler-failures.ts';

let emitWarning: MockInstance<(warning: string, options: { type: string; detail?: string }) => void>;
beforeEach(() => {
  emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined) as unknown as typeof emitWarning;
});
afterEach(() => {
  emitWarning.mockRestore();
});

function failed(change: Partial<EventHandlerFailure> = {}): HandlerFailure {
  const error = new TypeError('no such order');
  const event = { source: 'event', eventId: makeEventId(1), kind: 'order.changed' } as const;
  return { ...event, attempt: 1, error, waitMs: 2_000, isOutage: false, isFinal: false, ...change };
}

const warnings = () => emitWarning.mock.calls.map(([text]) => text);

it('warns of a failed handler with event kind, id, attempt, error and next attempt', () => {
  new HandlerFailureReporter({}).report(failed());

  expect(warnings()).toEqual([
    `order.changed (event ${makeEventId(1)}) failed in attempt 1: TypeError: no such order\n` +
      'The handler will be called again in 2.0 s. Set the hook onHandlerFailure to replace this warning.',
  ]);
  const [, options] = emitWarning.mock.calls[0] ?? [];
  expect(options).toMatchObject({
    type: 'AgentPlatformHandlerWarning',
    detail: expect.stringContaining(import.meta.url.split('/').at(-1) ?? ''),
  });
});

it('reports that an event waits for the end of an outage, and is not parked', () => {
  new HandlerFailureReporter({}).report(failed({ isOutage: true }));

  expect(warnings()).toEqual([
    expect.stringMatching(/\nThe server is not available\. The event is not parked; it is retried .* again\.$/),
  ]);
});

it('warns once of the same event and error, and again of another error or event', () => {
  const failures = new HandlerFailureReporter({});
  for (const attempt of [1, 2, 3]) failures.report(failed({ attempt }));
  failures.report(failed({ attempt: 4, error: new Error('another') }));
  failures.report(failed({ eventId: makeEventId(2) }));

  expect(warnings().map((text) => text.split('\n')[0])).toEqual([
    `order.changed (event ${makeEventId(1)}) failed in attempt 1: TypeError: no such order`,
    `order.changed (event ${makeEventId(1)}) failed in attempt 4: Error: another`,
    `order.changed (event ${makeEventId(2)}) failed in attempt 1: TypeError: no such order`,
  ]);
});

it('names the call that replays a parked event, even if its error was reported before', () => {
  const failures = new HandlerFailureReporter({});
  failures.report(failed({ attempt: 7 }));
  failures.report(failed({ attempt: 8, waitMs: null }));

  expect(warnings()[1]).toContain('THE EVENT IS PARKED');
  expect(warnings()[1]).toContain(`platform.events.replay('${makeEventId(1)}')`);
});

it('forgets the oldest of a thousand events that were warned of', () => {
  const failures = new HandlerFailureReporter({});
  for (let number = 0; number <= 1_000; number += 1) failures.report(failed({ eventId: makeEventId(number) }));
  failures.report(failed({ eventId: makeEventId(1) }));
  expect(emitWarning).toHaveBeenCalledTimes(1_001);
  failures.report(failed({ eventId: makeEventId(0) }));
  expect(emitWarning).toHaveBeenCalledTimes(1_002);
});

it('calls the hook for every attempt, and does not warn', () => {
  const told: HandlerFailure[] = [];
  const failures = new HandlerFailureReporter({ onHandlerFailure: (failure) => told.push(failure) });
  const order = { source: 'order', kind: 'orders.work', orderId: makeEventId(9), version: 3 } as const;
  for (const attempt of [1, 2]) failures.report({ ...order, attempt, error: 'a text', waitMs: 1_000 });

  expect(told.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(emitWarning).not.toHaveBeenCalled();
});
