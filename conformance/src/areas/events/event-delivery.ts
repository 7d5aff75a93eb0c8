import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import {
  ackedEventIds,
  type Connection,
  eventsOf,
  type StreamEvent,
  serverMessagesOf,
} from '../../context/events/connection.ts';
import { expect, isSameId, isUuid } from '../../context/expectations.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import * as dialogs from '../messages/messaging.ts';
import { clientFaultCodes } from './event-access.ts';
import * as events from './listening.ts';

// The cost of the friendship that the first check creates, and of two concurrent connections.
const delivery = { contactRequests: 1, sockets: 2 } as const;
const eventKinds: readonly string[] = [
  'contact.requested',
  'contact.accepted',
  'contact.blocked',
  'message.created',
  'order.changed',
];

export const drainedBacklogs = defineFixture({ sockets: 6 }, async (run) => {
  const agents = [await run.freshAgent(), await run.primaryAgent(), await run.partnerAgent()];
  return await Promise.all(agents.map((agent) => readTwice(run, agent)));
});

/** The backlogs must be read before a block removes events. */
export const eventBacklogCheck: Check = {
  id: 'events.backlog',
  covers: ['AP-EVENT-013', 'AP-EVENT-014', 'AP-EVENT-015', 'AP-EVENT-018'],
  rule: 'Every waiting event has the event form and one of the five kinds, and is sent again until its ack.',
  needs: ['stream'],
  cost: { contactRequests: 1, writes: 2 },
  fixtures: [drainedBacklogs],
  async judge(run) {
    // Makes friends first, because a new friendship causes events.
    await friendPair(run);
    for (const backlog of await drainedBacklogs(run)) await expectReadTwice(run, backlog);
  },
};

export const eventDeliveryChecks: readonly Check[] = [
  defineCheck(events.drainedFriends, {
    id: 'events.form',
    covers: ['AP-EVENT-012', 'AP-EVENT-013', 'AP-EVENT-014', 'AP-EVENT-015'],
    rule: 'A message reaches its recipient as {type: event, event_id, kind: message.created, payload}.',
    cost: { ...delivery, writes: 4, messages: 2 },
    async judge({ alice, bob }, run) {
      const connection = await events.listen(run, bob);
      for (let times = 0; times < 2; times += 1) {
        const before = events.seenEventIds(run);
        const start = connection.frames.length;
        const marks = await dialogs.sendRandomMessage(run, alice, bob);
        const isEvent = () => serverMessagesOf(connection.frames.slice(start)).find(({ type }) => type === 'event');
        const frame = await connection.until(isEvent, run.stream.eventTimeoutMs);
        await run.requirement('AP-EVENT-013', () =>
          expect(frame !== undefined, 'no event frame arrived', connection.exchange),
        );
        if (frame === undefined) return;
        const event = await run.precondition('AP-EVENT-012', () =>
          events.expectMessage(run, connection, before, marks),
        );
        await events.acknowledge(run, connection, event.id);
      }
      await expectForm(run, connection);
    },
  }),
  defineCheck(events.drainedFriends, {
    id: 'events.waiting',
    covers: ['AP-EVENT-016'],
    rule: 'Events that occur without a connection are delivered on the next connection.',
    cost: { ...delivery, writes: 4, messages: 2 },
    async judge({ alice, bob }, run) {
      const before = events.seenEventIds(run);
      for (let times = 0; times < 2; times += 1) await dialogs.sendRandomMessage(run, alice, bob);
      const connection = await events.listen(run, bob);
      const waiting = () =>
        eventsOf(connection.frames).filter(
          ({ id, kind }) => kind === 'message.created' && !before.has(id.toLowerCase()),
        );
      const count = () => new Set(waiting().map(({ id }) => id)).size;
      await events.waitUntil([connection], () => count() >= 2 || undefined, run.stream.eventTimeoutMs);
      for (const id of new Set(waiting().map((event) => event.id))) await events.acknowledge(run, connection, id);
      expect(
        count() >= 2,
        `${count()} of two events that occurred without a connection are delivered`,
        connection.exchange,
      );
    },
  }),
  defineCheck(events.drainedFriends, {
    id: 'events.ack',
    covers: ['AP-EVENT-017'],
    rule: 'An ack is answered with {type: acked, event_id}, for each event separately.',
    cost: { ...delivery, writes: 4, messages: 2 },
    async judge({ alice, bob }, run) {
      const connection = await events.listen(run, bob);
      const first = await events.sendAndReceive(run, connection, alice, bob);
      const second = await events.sendAndReceive(run, connection, alice, bob);
      await run.requirement('AP-EVENT-015', () =>
        expect(first.id !== second.id, 'two messages have the same event_id', connection.exchange),
      );
      for (const { id } of [second, first]) await events.acknowledge(run, connection, id);
      const answered = new Set(ackedEventIds(connection.frames)).size;
      expect(answered === 2, 'the server also sent acked for another event', connection.exchange);
    },
  }),
  defineCheck(unacknowledgedMessage, {
    id: 'events.again',
    covers: ['AP-EVENT-018', 'AP-EVENT-019'],
    rule: 'An unacknowledged event is delivered again on the next connection with the same event_id.',
    cost: { ...delivery, writes: 3, messages: 1 },
    async judge({ bob, event }, run) {
      const connection = await events.listen(run, bob);
      await run.requirement(['AP-EVENT-018', 'AP-EVENT-019'], () => events.expectRedelivery(run, connection, event));
      const ids = new Set(eventsOf(connection.frames).map(({ id }) => id));
      for (const id of ids) await events.acknowledge(run, connection, id);
    },
  }),
  defineCheck(events.drainedFriends, {
    id: 'events.settled',
    covers: ['AP-EVENT-020'],
    rule: 'Each ack acknowledges its own event, which is then no longer delivered, and no earlier event.',
    cost: { ...delivery, writes: 5, messages: 3, seconds: 1 },
    async judge({ alice, bob }, run) {
      const earlier = await events.listen(run, bob);
      const open = await events.sendAndReceive(run, earlier, alice, bob);
      const settled = await Array.fromAsync({ length: 2 }, () => events.sendAndReceive(run, earlier, alice, bob));
      for (const { id } of settled) await events.acknowledge(run, earlier, id);
      await earlier.close();
      // Delivery is at least once: the event may be repeated, but not every time.
      for (let attempt = 1; ; attempt += 1) {
        const later = await events.listen(run, bob);
        await events.expectRedelivery(run, later, open);
        await run.clock.sleep(run.stream.silenceMs);
        const repeated = settled.find(({ id }) => events.hasReceived(later, id));
        if (repeated === undefined) return await events.acknowledge(run, later, open.id);
        expect(attempt < 3, `${repeated.id} is delivered again every time after its ack was answered`, later.exchange);
        await later.close();
      }
    },
  }),
  defineCheck(unacknowledgedMessage, {
    id: 'events.foreign-ack',
    covers: ['AP-EVENT-021'],
    rule: 'An ack counts only for events received on the same connection.',
    cost: { ...delivery, sockets: 3, writes: 4, messages: 2, seconds: 1 },
    async judge({ alice, bob, event }, run) {
      await expectNoAnswer(run, await events.listen(run, alice), events.makeAckFrame(event.id), 'AP-EVENT-021');
      await expectNoAnswer(run, await events.listen(run, bob), events.makeAckFrame(run.random.uuid()), 'AP-EVENT-021');
      await expectRedeliveryAndAck(run, bob, event);
      await expectNoEarlyAck(run, await unacknowledgedMessage(run));
    },
  }),
  defineCheck(unacknowledgedMessage, {
    id: 'events.malformed',
    covers: ['AP-EVENT-022', 'AP-EVENT-023'],
    rule: 'Only {type: ack, event_id} acknowledges; any other frame that closes the connection does so with a code for client errors.',
    cost: { ...delivery, writes: 3, messages: 1, seconds: 2 },
    async judge({ bob, event }, run) {
      const { id } = event;
      const acked = JSON.stringify({ type: 'acked', event_id: id });
      for (const frame of [`ack ${id}`, '{"type":"ack"}', acked, `["ack","${id}"]`]) {
        const connection = await events.listen(run, bob);
        await events.expectRedelivery(run, connection, event);
        await expectNoAnswer(run, connection, frame, 'AP-EVENT-022');
      }
      await run.requirement('AP-EVENT-022', () => expectRedeliveryAndAck(run, bob, event));
    },
  }),
  defineCheck(events.drainedFriends, {
    id: 'events.strangers',
    covers: ['AP-EVENT-024'],
    rule: 'Only the two participants receive events of a message.',
    cost: { ...delivery, writes: 3, messages: 1, seconds: 1 },
    async judge({ alice, bob }, run) {
      const stranger = await events.listen(run, await run.freshAgent());
      const connection = await events.listen(run, bob);
      const before = events.seenEventIds(run);
      const marks = await dialogs.sendRandomMessage(run, alice, bob);
      const { id } = await events.expectMessage(run, connection, before, marks);
      await run.clock.sleep(run.stream.silenceMs);
      events.expectNoEventWith(stranger, [id, ...marks], 'a stranger');
      await events.acknowledge(run, connection, id);
    },
  }),
];

/** Reads an agent's pending events twice, acknowledging them only the second time; returns the closed connections. */
async function readTwice(run: Run, agent: Agent) {
  const before = await events.listen(run, agent);
  await events.waitForQuiet(run, before);
  await before.close();
  const drained = await events.drain(run, agent, async (_, connection) => {
    const isAllThere = () => eventsOf(before.frames).every(({ id }) => events.hasReceived(connection, id)) || undefined;
    await events.waitUntil([connection], isAllThere, run.stream.eventTimeoutMs);
    await events.waitForQuiet(run, connection);
  });
  return { before, drained };
}

async function expectReadTwice(run: Run, { before, drained }: Awaited<ReturnType<typeof readTwice>>): Promise<void> {
  // The second connection receives every pending event, even if the server limits unacknowledged events.
  await expectForm(run, drained);
  await run.requirement('AP-EVENT-018', () => {
    for (const event of eventsOf(before.frames)) events.expectSameEventId(run, drained, event, 'AP-EVENT-018');
  });
}

export async function expectPendingEvents(run: Run, agent: Agent): Promise<void> {
  await expectReadTwice(run, await readTwice(run, agent));
}

async function expectForm(run: Run, connection: Connection): Promise<void> {
  const { exchange } = connection;
  const all = eventFrames(connection);
  await run.requirement('AP-EVENT-015', () => {
    for (const { event_id: id } of all)
      expect(isUuid(id), `the event_id ${JSON.stringify(id)} is not a UUID`, exchange);
  });
  await expectEventKinds(run, connection);
  await run.requirement('AP-EVENT-013', () => {
    for (const frame of all) expect('payload' in frame, 'an event has no payload', exchange);
  });
}

export async function expectEventKinds(run: Run, connection: Connection): Promise<void> {
  await run.requirement('AP-EVENT-014', () => {
    for (const { kind } of eventFrames(connection))
      expect(eventKinds.includes(String(kind)), `${JSON.stringify(kind)} is not a kind of event`, connection.exchange);
  });
}

function eventFrames({ frames }: Connection) {
  const messages = serverMessagesOf(frames) as readonly Partial<Record<string, unknown>>[];
  return messages.filter(({ type }) => type === 'event');
}

async function unacknowledgedMessage(run: Run) {
  const { alice, bob } = await events.drainedFriends(run);
  // The specification does not state how an ack affects events sent to two connections.
  const connections = [await events.listen(run, bob), await events.listen(run, bob)] as const;
  const event = await events.sendAndReceive(run, connections[0], alice, bob);
  for (const connection of connections) await connection.close();
  return { alice, bob, event };
}

/** If the event arrives before the ack is sent, nothing can be observed. */
async function expectNoEarlyAck(run: Run, { bob, event }: Awaited<ReturnType<typeof unacknowledgedMessage>>) {
  const connection = await run.stream.connect(bob.token);
  connection.sendFrame(events.makeAckFrame(event.id));
  const first = () => serverMessagesOf(connection.frames).find((message) => isSameId(message['event_id'], event.id));
  await connection.until(() => first() ?? (connection.isOpen ? undefined : true), run.stream.eventTimeoutMs);
  const isEarly = first()?.['type'] === 'acked';
  expect(!isEarly, 'the server accepted an ack of an event that this connection has not received', connection.exchange);
  await connection.close();
  await events.drain(run, bob);
}

async function expectRedeliveryAndAck(run: Run, agent: Agent, event: StreamEvent): Promise<void> {
  const connection = await events.listen(run, agent);
  await events.expectRedelivery(run, connection, event);
  await events.acknowledge(run, connection, event.id);
  await connection.close();
}

/** Expects that a frame is not answered; the connection may only close with a code for client errors. */
async function expectNoAnswer(run: Run, connection: Connection, frame: string, requirement: string): Promise<void> {
  const before = ackedEventIds(connection.frames).length;
  const isAnswered = () => ackedEventIds(connection.frames).length > before;
  connection.sendFrame(frame);
  await connection.until(() => isAnswered() || !connection.isOpen || undefined, run.stream.silenceMs);
  await run.requirement(requirement, () =>
    expect(!isAnswered(), `${frame} was answered with acked`, connection.exchange),
  );
  await run.requirement('AP-EVENT-023', () => {
    const { ending } = connection;
    const isStated = ending === undefined || clientFaultCodes.includes(ending.code);
    expect(isStated, `after ${frame} the connection ${events.describeEnding(connection)}`, connection.exchange);
  });
  await connection.close();
}
