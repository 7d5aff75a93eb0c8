import type { Agent } from '../../context/agent.ts';
import {
  defineFixture,
  type Observation,
  type ObservedBehaviour,
  primaryAgent,
  type Run,
} from '../../context/check.ts';
import { ackedEventIds, type Connection, eventsOf, type Frame } from '../../context/events/connection.ts';
import { isSameId, NotJudgedError, SkippedError } from '../../context/expectations.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { streamPath } from '../../context/paths.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { tokenRevocation } from '../identity/tokens.ts';
import * as dialogs from '../messages/messaging.ts';
import { compareRequiredMembers, openQuestion, startFromRun, withStart } from '../observation.ts';
import { drainedBacklogs } from './event-delivery.ts';
import * as events from './listening.ts';
import { makeEndedOffer, type TrackedOrder } from './tracked-order.ts';

const fewOrders = 3;
// This many orders, with two changes each, cause slightly more events than the reference server sends before an ack.
const manyOrders = 33;
const costOfOrders = (count: number) => ({ contactRequests: 1, writes: 2 * count + 2, sockets: 2, seconds: 1 });

const orderBacklog = defineFixture(costOfOrders(fewOrders), (run) => gather(run, fewOrders));

/** A connection that received as many events as the server sends before an ack, or all pending ones. */
const fullConnection = defineFixture(costOfOrders(manyOrders), async (run) => {
  // Without friends there are no events to fill a connection.
  await friendPair(run);
  // In a complete run, earlier checks have caused enough events.
  const full = (await drainedBacklogs(run))
    .map(({ drained }) => drained)
    .find(({ frames }) => eventsOf(frames).length > inFlightOf(frames));
  return full ?? (await gather(run, manyOrders, events.waitForQuiet)).connection;
});

/** The number of events received before the first ack. */
function inFlightOf(frames: readonly Frame[]): number {
  const firstAck = frames.findIndex(({ from }) => from === 'suite');
  return new Set(eventsOf(frames.slice(0, firstAck < 0 ? undefined : firstAck)).map(({ id }) => id)).size;
}

/** A change is written as order and version: `0.1` is version 1 of the first order. */
async function gather(run: Run, count: number, isCustomerReady?: typeof events.waitForQuiet) {
  const { alice, bob } = await friendPair(run);
  await events.drainForObservations(run, [alice, bob]);
  const orders = await Array.fromAsync({ length: count }, () => makeEndedOffer(run, alice, bob, 'reject'));
  const [contractor, customer] = await Promise.all([events.drain(run, alice), events.drain(run, bob, isCustomerReady)]);
  return {
    changes: orders.flatMap(({ states }, at) => [...states.keys()].map((version) => `${at}.${version}`)),
    receivedByContractor: changesIn(contractor, orders),
    receivedByCustomer: changesIn(customer, orders),
    connection: customer,
  };
}

function changesIn({ frames }: Connection, orders: readonly TrackedOrder[]): readonly string[] {
  const changes = eventsOf(frames).flatMap(({ kind, payload }) => {
    if (kind !== 'order.changed' || !isObject(payload)) return [];
    const at = orders.findIndex(({ id }) => isSameId(payload['order_id'], id));
    return at < 0 ? [] : [`${at}.${String(payload['version'])}`];
  });
  return [...new Set(changes)];
}

const cost = { contactRequests: 1, writes: 3, messages: 1, sockets: 2, seconds: 1 } as const;

/**
 * What two connections of an agent receive for one message, and how the server answers a second ack on the first
 * connection and an ack on the second one.
 */
const twoConnections = defineFixture(cost, async (run) => {
  const { alice, bob } = await friendPair(run);
  await events.drainForObservations(run, [alice, bob]);
  const [first, second] = [await events.listen(run, bob), await events.listen(run, bob)];
  const before = events.seenEventIds(run);
  const marks = await dialogs.sendRandomMessage(run, alice, bob);
  const event = await Promise.any([first, second].map((it) => events.expectMessage(run, it, before)));
  const receives = (it: Connection) =>
    it.until(() => events.hasReceived(it, event.id) || undefined, run.stream.optionalMs);
  const received = await Promise.all([first, second].map(receives));
  await events.waitForQuiet(run, first);
  const [mine, theirs] = events.hasReceived(first, event.id) ? [first, second] : [second, first];
  const times = eventsOf(mine.frames).filter(({ id }) => id === event.id).length;
  await events.acknowledge(run, mine, event.id);
  const secondAck = await tryAck(run, mine, event.id);
  const otherAck = await tryAck(run, theirs, event.id);
  return { event, marks, reachesBoth: received.every(Boolean), times, secondAck, otherAck };
});

async function tryAck(run: Run, connection: Connection, id: string): Promise<string> {
  const count = () => ackedEventIds(connection.frames).length;
  const before = count();
  connection.sendFrame(events.makeAckFrame(id));
  await connection.until(() => count() > before || !connection.isOpen || undefined, run.stream.optionalMs);
  return count() > before ? 'acked' : `no answer, and the connection ${events.describeEnding(connection)}`;
}

const needs = ['stream'] as const;

// The status of a contact in the list of the recipient, by kind of event.
const statusOfKind = { 'contact.requested': 'incoming', 'contact.accepted': 'friends', 'contact.blocked': 'blocked' };

export const eventObservations: readonly Observation[] = [
  ...withStart(primaryAgent, { needs, cost: { sockets: 3, seconds: 1 } }, [
    openQuestion('bad-token', 'AP-EVENT-038', 'How is an invalid token refused?', async (_agent, run) => {
      const connections = [await run.stream.connect(), await run.stream.connect(run.random.uuid())];
      return await observeEndings(run, connections, 4401);
    }),
    openQuestion('stream-query', 'AP-EVENT-040', 'How is a query in the URL handled?', async ({ token }, run) =>
      observeEndings(run, [await run.stream.connect(token, `${streamPath}?after=1`)], 4400),
    ),
    openQuestion('stream-slash', 'AP-EVENT-041', 'How is the path without its slash answered?', async (agent, run) => {
      const connection = await run.stream.connect(agent.token, streamPath.replace(/\/$/, ''));
      return { observed: events.describeEnding(connection), matchesDecision: connection.exchange.status === 404 };
    }),
    openQuestion('no-ack', 'AP-EVENT-042', 'How are invalid, binary and unknown acks answered?', async (agent, run) =>
      observeEndings(
        run,
        await afterFrames(run, agent, ['ack', Buffer.from('ack'), events.makeAckFrame(run.random.uuid())]),
        4400,
      ),
    ),
    openQuestion('large-frame', 'AP-EVENT-043', 'How is a frame of 5 KiB handled?', async (agent, run) =>
      observeEndings(run, await afterFrames(run, agent, [events.makeAckFrame(run.random.uuid()).padEnd(5_120)]), 1009),
    ),
    openQuestion('third', 'AP-EVENT-044', 'Which of three connections is closed, and how?', async (agent, run) => {
      const both = [await events.listen(run, agent), await events.listen(run, agent)];
      const third = await run.stream.connect(agent.token);
      const { observed, matchesDecision } = await observeEndings(run, [third], 4429);
      const isOnlyThird = both.every(({ isOpen }) => isOpen);
      return { observed: `the last one ${observed}`, matchesDecision: matchesDecision && isOnlyThird };
    }),
  ]),
  ...withStart(tokenRevocation, { needs }, [
    openQuestion('ended-token', 'AP-EVENT-039', 'How does the connection of a revoked token end?', ({ connection }) => {
      const end = 'error' in connection ? undefined : connection.end;
      if (end === undefined) throw new SkippedError('no connection ended with its token');
      return { observed: `closed with ${end.code}`, matchesDecision: end.code === 4401 };
    }),
  ]),
  ...withStart(twoConnections, { needs }, [
    openQuestion('second-ack', 'AP-EVENT-045', 'How is a second ack handled?', ({ secondAck }) => ({
      observed: secondAck,
      matchesDecision: secondAck === 'acked',
    })),
    openQuestion(
      'two-connections',
      'AP-EVENT-046',
      'Do both connections of an agent receive an event, and how is an ack on the other connection handled?',
      ({ reachesBoth, otherAck }) => {
        const observed = `${reachesBoth ? 'both' : 'one'} received it; after an ack on one, on the other: ${otherAck}`;
        return { observed, matchesDecision: reachesBoth && otherAck === 'acked' };
      },
    ),
    openQuestion('stream-repeats', 'AP-EVENT-049', 'Does one connection receive an event twice?', ({ times }) => ({
      observed: times === 1 ? 'once' : `${times} times`,
      matchesDecision: times === 1,
    })),
    openQuestion('message-event', 'AP-EVENT-050', 'Which payload does message.created have?', ({ event, marks }) => {
      const payload: JsonObject = isObject(event.payload) ? event.payload : {};
      const names = [
        ...['id', 'sender_id', 'recipient_id', 'created_at', 'expires_at', 'client_message_id', 'nonce', 'ciphertext'],
        ...['encryption_version', 'sender_public_key', 'recipient_public_key'],
      ];
      const texts = listStrings(payload).map(({ text }) => text);
      const { observed, matchesDecision } = compareRequiredMembers(payload, names);
      return { observed, matchesDecision: matchesDecision && marks.every((mark) => texts.includes(mark)) };
    }),
  ]),
  ...withStart(orderBacklog, { needs }, [
    openQuestion('delivery-order', 'AP-EVENT-047', 'In which order are events delivered?', (backlog) => {
      const { changes, receivedByCustomer } = backlog;
      const received = new Set(receivedByCustomer);
      if (received.size < 2) throw new SkippedError('too few order events arrived');
      const isInOrder = receivedByCustomer.join() === changes.filter((change) => received.has(change)).join();
      return { observed: isInOrder ? 'oldest first' : 'not oldest first', matchesDecision: isInOrder };
    }),
    openQuestion('order-events', 'AP-EVENT-052', 'Which party is notified of which change?', (backlog) => {
      const { changes, receivedByContractor, receivedByCustomer } = backlog;
      const count = (received: readonly string[]) => `${received.length} of ${changes.length} changes`;
      return {
        observed: `the author of ${count(receivedByContractor)}, the other party of ${count(receivedByCustomer)}`,
        matchesDecision: [receivedByContractor, receivedByCustomer].every(({ length }) => length === changes.length),
      };
    }),
  ]),
  ...withStart(fullConnection, { needs, fixtures: [drainedBacklogs] }, [
    openQuestion('window', 'AP-EVENT-048', 'How many events are delivered without an ack?', ({ frames }) => {
      const inFlight = inFlightOf(frames);
      const isAll = inFlight === new Set(eventsOf(frames).map(({ id }) => id)).size;
      const observed = isAll ? `at least ${inFlight}` : String(inFlight);
      return { observed, matchesDecision: !isAll && inFlight === 64 };
    }),
  ]),
  ...withStart(startFromRun, { needs }, [
    openQuestion('contact-events', 'AP-EVENT-051', 'Which events does a contact cause?', ({ stream }) => {
      const caused = stream.received.filter(({ kind }) => kind.startsWith('contact.'));
      if (caused.length === 0) throw new NotJudgedError('no contact event arrived in this run', 'AP-CONTACT-002');
      const members = (payload: unknown) => (isObject(payload) ? Object.keys(payload).join(', ') : typeof payload);
      const observed = new Set(caused.map(({ kind, payload }) => `${kind}: ${members(payload)}`));
      const matchesDecision = Object.entries(statusOfKind).every(([kind, status]) => {
        const payloads = caused.filter((event) => event.kind === kind).map(({ payload }) => payload);
        const isContact = (payload: unknown) =>
          isObject(payload) && 'contact_id' in payload && isObject(payload['peer']) && payload['status'] === status;
        return payloads.length > 0 && payloads.every(isContact);
      });
      return { observed: [...observed].toSorted().join('; '), matchesDecision };
    }),
  ]),
];

/** The reference server accepts connections before it ends them with a code. */
async function observeEndings(run: Run, connections: readonly Connection[], code: number): Promise<ObservedBehaviour> {
  await Promise.all(connections.map((connection) => connection.until(() => connection.ending, run.stream.optionalMs)));
  return {
    observed: [...new Set(connections.map(events.describeEnding))].join(', '),
    matchesDecision: connections.every(({ ending }) => ending?.code === code),
  };
}

async function afterFrames(
  run: Run,
  agent: Agent,
  frames: readonly (string | Buffer)[],
): Promise<readonly Connection[]> {
  const connections: Connection[] = [];
  for (const frame of frames) {
    const connection = await events.listen(run, agent);
    connection.sendFrame(frame);
    await connection.until(() => connection.ending, run.stream.optionalMs);
    connections.push(connection);
  }
  return connections;
}
