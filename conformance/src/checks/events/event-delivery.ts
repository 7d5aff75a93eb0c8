import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import type { Cost } from '../../context/cost.ts';
import type { Connection } from '../../context/events/connection.ts';
import { ackedOf, eventsOf, messagesOf, type StreamEvent } from '../../context/events/frames.ts';
import { expect, isUuid, Violation } from '../../context/expectations.ts';
import { textsOf } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import { friendPair } from '../../fixtures/contacts/leases.ts';
import { sendRandomMessage } from '../../fixtures/events/causes.ts';
import {
  acknowledge,
  ackOf,
  describeEnding,
  eventsSoFar,
  expectNewEvent,
  expectRedelivery,
  hasEvent,
  listen,
  settle,
  silenceMs,
} from '../../fixtures/events/listening.ts';
import { drainedBacklogs } from '../../fixtures/events/order-backlog.ts';

const kinds = ['contact.requested', 'contact.accepted', 'contact.blocked', 'message.created', 'order.changed'];

// Stated: what a client sends wrongly is for it to fix.
const refusalCodes = [4400, 4401, 4403];

// Two friends are made once for all checks; whoever comes first needs the request.
const friendsCost: Partial<Cost> = { contactRequests: 1 };

/** What has gathered for the agents: taken in before a block takes it away. */
export const eventBacklogChecks: readonly Check[] = [
  {
    id: 'events.backlog',
    covers: ['AP-EVENT-013', 'AP-EVENT-014', 'AP-EVENT-015'],
    rule: 'Every waiting event has the event form and one of the five kinds.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 2, sockets: 3 },
    async judge(run) {
      // Of two who have just become friends something waits.
      await friendPair(run);
      for (const connection of await drainedBacklogs(run)) demandForm(connection);
    },
  },
];

/** How events reach whom they are for, and what an ack does. */
export const eventDeliveryChecks: readonly Check[] = [
  {
    id: 'events.form',
    covers: ['AP-EVENT-012', 'AP-EVENT-013', 'AP-EVENT-014', 'AP-EVENT-015'],
    rule: 'A message reaches its recipient as {type: event, event_id, kind: message.created, payload}.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 4, messages: 2, sockets: 2 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const connection = await listen(run, other);
      for (const _ of [1, 2]) {
        const before = eventsSoFar(run);
        const sent = connection.frames.length;
        await sendRandomMessage(run, one, other);
        const isEvent = () => messagesOf(connection.frames.slice(sent)).find(({ type }) => type === 'event');
        const frame = await connection.until(isEvent, run.stream.patienceMs);
        expect(frame !== undefined, 'received no frame of the type event', connection.exchange);
        const { id } = await expectNewEvent(run, connection, before, 'message.created');
        await acknowledge(run, connection, id);
      }
      demandForm(connection);
    },
  },
  {
    id: 'events.waiting',
    covers: ['AP-EVENT-016'],
    rule: 'Events that occur without a connection are delivered on the next connection.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 3, messages: 1, sockets: 2 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const before = eventsSoFar(run);
      await sendRandomMessage(run, one, other);
      const connection = await listen(run, other);
      const { id } = await expectNewEvent(run, connection, before, 'message.created');
      await acknowledge(run, connection, id);
    },
  },
  {
    id: 'events.ack',
    covers: ['AP-EVENT-017'],
    rule: 'An ack is answered with {type: acked, event_id}, for each event separately.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 4, messages: 2, sockets: 2 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const connection = await listen(run, other);
      const first = await hears(run, connection, one, other);
      const second = await hears(run, connection, one, other);
      expect(first.id !== second.id, 'two messages share an event_id', connection.exchange);
      for (const { id } of [second, first]) await acknowledge(run, connection, id);
      const answered = ackedOf(connection.frames);
      expect(new Set(answered).size === 2, 'another frame was answered with acked as well', connection.exchange);
    },
  },
  {
    id: 'events.again',
    covers: ['AP-EVENT-018', 'AP-EVENT-019'],
    rule: 'An unacknowledged event is delivered again on the next connection with the same event_id.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 3, messages: 1, sockets: 2 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const event = await leaves(run, one, other);
      const connection = await listen(run, other);
      await expectRedelivery(run, connection, event);
      await acknowledge(run, connection, event.id);
    },
  },
  {
    id: 'events.settled',
    covers: ['AP-EVENT-020'],
    rule: 'An acknowledged event is settled and is not delivered repeatedly.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 4, messages: 2, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const earlier = await listen(run, other);
      const settled = await hears(run, earlier, one, other);
      const open = await hears(run, earlier, one, other);
      await acknowledge(run, earlier, settled.id);
      await earlier.close();
      // Delivery is at least once: it may come again, but not each time.
      for (let attempt = 1; ; attempt += 1) {
        const later = await listen(run, other);
        await expectRedelivery(run, later, open);
        await sleep(silenceMs);
        if (!hasEvent(later, settled.id)) return await acknowledge(run, later, open.id);
        expect(attempt < 3, `${settled.id} is delivered again although its ack was answered`, later.exchange);
        await later.close();
      }
    },
  },
  {
    id: 'events.foreign-ack',
    covers: ['AP-EVENT-021'],
    rule: 'An ack settles only events received on its own connection.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 3, messages: 1, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const event = await leaves(run, one, other);
      for (const [agent, id] of [
        [one, event.id],
        [other, randomUUID()],
      ] as const) {
        await demandUnanswered(await listen(run, agent), ackOf(id));
      }
      const connection = await listen(run, other);
      await expectRedelivery(run, connection, event);
      await acknowledge(run, connection, event.id);
    },
  },
  {
    id: 'events.malformed',
    covers: ['AP-EVENT-022', 'AP-EVENT-023'],
    rule: 'Only {type: ack, event_id} acknowledges; any other frame that closes the connection does so with a code for client errors.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 3, messages: 1, sockets: 2, seconds: 2 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const event = await leaves(run, one, other);
      const { id } = event;
      for (const frame of [
        `ack ${id}`,
        '{"type":"ack"}',
        JSON.stringify({ type: 'acked', event_id: id }),
        `["ack","${id}"]`,
      ]) {
        const connection = await listen(run, other);
        await expectRedelivery(run, connection, event);
        await demandUnanswered(connection, frame);
      }
      const connection = await listen(run, other);
      await expectRedelivery(run, connection, event);
      await acknowledge(run, connection, id);
    },
  },
  {
    id: 'events.strangers',
    covers: ['AP-EVENT-024'],
    rule: 'Only the two participants receive events of a message.',
    needs: ['stream'],
    cost: { ...friendsCost, writes: 3, messages: 1, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one, other } = await settledFriends(run);
      const stranger = await listen(run, await run.freshAgent());
      const connection = await listen(run, other);
      const before = eventsSoFar(run);
      const marks = await sendRandomMessage(run, one, other);
      const { id } = await expectNewEvent(run, connection, before, 'message.created');
      await sleep(silenceMs);
      demandStrange(stranger, [id, ...marks]);
      await acknowledge(run, connection, id);
    },
  },
];

/** Demands the form of every event that came. */
function demandForm({ frames, exchange }: Connection): void {
  for (const frame of messagesOf(frames)) {
    const { type, event_id: id, kind } = frame as Partial<Record<string, unknown>>;
    if (type !== 'event') continue;
    expect(isUuid(id), `the event_id ${JSON.stringify(id)} is not a UUID`, exchange);
    expect(kinds.includes(String(kind)), `${JSON.stringify(kind)} is not an event kind`, exchange);
    expect('payload' in frame, 'an event has no payload', exchange);
  }
}

/** Two friends for whom nothing waits any more. */
async function settledFriends(run: Run) {
  const pair = await friendPair(run);
  await settle(run, [pair.one, pair.other]);
  return pair;
}

/** Sends a message to whoever listens, and returns its event. */
async function hears(run: Run, connection: Connection, from: PoolAgent, to: PoolAgent): Promise<StreamEvent> {
  const before = eventsSoFar(run);
  await sendRandomMessage(run, from, to);
  return await expectNewEvent(run, connection, before, 'message.created');
}

/** Sends a message, and leaves its event without an ack. */
async function leaves(run: Run, from: PoolAgent, to: PoolAgent): Promise<StreamEvent> {
  const connection = await listen(run, to);
  const event = await hears(run, connection, from, to);
  await connection.close();
  return event;
}

/** Sends a frame that acknowledges nothing: it is not answered, and at most ends the connection. */
async function demandUnanswered(connection: Connection, frame: string): Promise<void> {
  const before = ackedOf(connection.frames).length;
  connection.sendFrame(frame);
  const isOver = () => (ackedOf(connection.frames).length > before || !connection.isOpen ? true : undefined);
  await connection.until(isOver, silenceMs);
  expect(ackedOf(connection.frames).length === before, `${frame} was answered with acked`, connection.exchange);
  const { ending } = connection;
  const isStated = ending === undefined || refusalCodes.includes(ending.code);
  expect(isStated, `after ${frame} the connection ${describeEnding(connection)}`, connection.exchange);
  await connection.close();
}

// What waited for the stranger from before may come at any time, so it is told by what is in it.
function demandStrange({ frames, exchange }: Connection, marks: readonly string[]): void {
  const all = marks.map((mark) => mark.toLowerCase());
  for (const event of eventsOf(frames)) {
    const texts = [event.id, ...textsOf(event.payload).map(({ text }) => text)].map((text) => text.toLowerCase());
    if (texts.some((text) => all.includes(text))) throw new Violation('a third agent received the message', exchange);
  }
}
