import { setImmediate } from 'node:timers/promises';
import type { EventKind, InboxEvent } from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { captureIo } from '../../../testing/captured-io.ts';
import { commandRunner, dispatch, type ExecutionOptions } from './execute.ts';
import { finishOldEvents, keepFinishingOldEvents } from './other-events.ts';

function makeEvents(kinds: readonly string[]) {
  const finished: string[] = [];
  const items = kinds.map((kind, index) => ({
    event: { event_id: `${kind}-${index}`, kind, payload: {} } as InboxEvent,
  }));
  const list = async () => items.map((item) => ({ ...item, status: 'waiting' as const, attempts: 0, reason: null }));
  const done = async (id: string) => {
    finished.push(id);
    return true;
  };
  return { events: { list, done }, finished };
}

it('finishes the oldest events of other kinds beyond the limit, and none of the chosen kinds', async () => {
  const { events, finished } = makeEvents(['order.changed', 'message.created', 'contact.requested', 'order.changed']);

  expect(await finishOldEvents(events, ['message.created'], 2)).toBe(1);
  expect(finished).toEqual(['order.changed-0']);
  expect(await finishOldEvents(events, ['message.created'], 3)).toBe(0);
  expect(finished).toEqual(['order.changed-0']);
});

it('leaves 500 events of other kinds to other programs, and reports those it has finished', async () => {
  const { events, finished } = makeEvents(Array.from({ length: 502 }, () => 'order.changed'));
  const ending = new AbortController();
  const { io, stderr } = captureIo({ onStderr: () => ending.abort() });
  const agent = { platform: { events }, io } as unknown as Parameters<typeof keepFinishingOldEvents>[0];

  await keepFinishingOldEvents(agent, ['message.created'], ending.signal);

  expect(finished).toEqual(['order.changed-0', 'order.changed-1']);
  expect(stderr()).toContain('2 old events of other kinds were finished, because more than 500 were waiting');
});

const kinds: readonly EventKind[] = ['message.created'];

it.each([
  ['a command with kinds makes room', { kinds, isKeepingOthers: false }, ['order.changed-0']],
  ['one that keeps the others does not', { kinds, isKeepingOthers: true }, []],
  ['one that takes all kinds does not', { kinds: undefined, isKeepingOthers: false }, []],
] as const)('%s', async (_, choice, expected) => {
  const { events, finished } = makeEvents(Array.from({ length: 501 }, () => 'order.changed'));
  const ending = new AbortController();
  const run = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise((resolve) => signal.addEventListener('abort', resolve));
  const platform = { events: { ...events, use: () => undefined, run } };
  const agent = { platform, io: captureIo().io, profile: 'bob', signal: ending.signal };
  const execution: ExecutionOptions = {
    attempt: commandRunner('true'),
    leaseMs: 1_000,
    isOpening: false,
    ...choice,
  };
  const items = dispatch(agent as unknown as Parameters<typeof dispatch>[0], execution, {
    onFailure: () => undefined,
  });

  const next = items.next();
  await setImmediate();
  ending.abort();

  expect(await next).toMatchObject({ done: true });
  expect(finished).toEqual(expected);
});
