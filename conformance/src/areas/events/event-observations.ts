import type { Agent } from '../../context/agent.ts';
import { type Behaviour, type Observation, primaryAgent } from '../../context/check.ts';
import type { Connection } from '../../context/events/connection.ts';
import { eventsOf } from '../../context/events/frames.ts';
import { Skipped } from '../../context/expectations.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import { streamPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { revocation } from '../identity/tokens.ts';
import { choice, containNames, from, wholeRun } from '../observation.ts';
import * as events from './listening.ts';
import { drainedBacklogs, fullConnection, inFlightOf, orderBacklog, twoConnections } from './order-backlog.ts';

const needs = ['stream'] as const;

// The status of a contact as the recipient of each kind of event sees it.
const statusOfKind = { 'contact.requested': 'incoming', 'contact.accepted': 'friends', 'contact.blocked': 'blocked' };

/** Open behaviour of the event stream. */
export const eventObservations: readonly Observation[] = [
  ...from(primaryAgent, { needs, cost: { sockets: 3, seconds: 1 } }, [
    choice('bad-token', 'AP-EVENT-038', 'How is an invalid token refused?', async (_agent, run) => {
      const connections = [await run.stream.connect(), await run.stream.connect(run.random.uuid())];
      return await observeEndings(run, connections, 4401);
    }),
    choice('stream-query', 'AP-EVENT-040', 'How is a query in the URL handled?', async ({ token }, run) =>
      observeEndings(run, [await run.stream.connect(token, `${streamPath}?after=1`)], 4400),
    ),
    choice('stream-slash', 'AP-EVENT-041', 'How is the path without its slash answered?', async (agent, run) => {
      const connection = await run.stream.connect(agent.token, streamPath.replace(/\/$/, ''));
      return { observed: events.describeEnding(connection), matchesDecision: connection.exchange.status === 404 };
    }),
    choice('no-ack', 'AP-EVENT-042', 'How are invalid, binary and unknown acks answered?', async (agent, run) =>
      observeEndings(
        run,
        await afterFrames(run, agent, ['ack', Buffer.from('ack'), events.ackOf(run.random.uuid())]),
        4400,
      ),
    ),
    choice('large-frame', 'AP-EVENT-043', 'How is a frame of 5 KiB handled?', async (agent, run) =>
      observeEndings(run, await afterFrames(run, agent, [events.ackOf(run.random.uuid()).padEnd(5_120)]), 1009),
    ),
    choice('third', 'AP-EVENT-044', 'Which of three connections is closed, and how?', async (agent, run) => {
      const both = [await events.listen(run, agent), await events.listen(run, agent)];
      const third = await run.stream.connect(agent.token);
      const { observed, matchesDecision } = await observeEndings(run, [third], 4429);
      const isOnlyThird = both.every(({ isOpen }) => isOpen);
      return { observed: `the last one ${observed}`, matchesDecision: matchesDecision && isOnlyThird };
    }),
  ]),
  ...from(revocation, { needs }, [
    choice('ended-token', 'AP-EVENT-039', 'How does the connection of a revoked token end?', ({ connection }) => {
      const end = 'error' in connection ? undefined : connection.end;
      if (end === undefined) throw new Skipped('no connection ended with its token');
      return { observed: `closed with ${end.code}`, matchesDecision: end.code === 4401 };
    }),
  ]),
  ...from(twoConnections, { needs }, [
    choice('second-ack', 'AP-EVENT-045', 'How is a second ack handled?', ({ secondAck }) => ({
      observed: secondAck,
      matchesDecision: secondAck === 'acked',
    })),
    choice(
      'two-connections',
      'AP-EVENT-046',
      'Do both connections of an agent receive an event, and how is an ack on the other connection handled?',
      ({ reachesBoth, otherAck }) => {
        const observed = `${reachesBoth ? 'both' : 'one'} received it; after an ack on one, on the other: ${otherAck}`;
        return { observed, matchesDecision: reachesBoth && otherAck === 'acked' };
      },
    ),
    choice('stream-repeats', 'AP-EVENT-049', 'Does one connection receive an event twice?', ({ times }) => ({
      observed: times === 1 ? 'once' : `${times} times`,
      matchesDecision: times === 1,
    })),
    choice('message-event', 'AP-EVENT-050', 'Which payload does message.created have?', ({ event, marks }) => {
      const payload: JsonObject = isObject(event.payload) ? event.payload : {};
      const names = [
        ...['id', 'sender_id', 'recipient_id', 'created_at', 'expires_at', 'client_message_id', 'nonce', 'ciphertext'],
        ...['encryption_version', 'sender_public_key', 'recipient_public_key'],
      ];
      const texts = textsOf(payload).map(({ text }) => text);
      const { observed, matchesDecision } = containNames(payload, names);
      return { observed, matchesDecision: matchesDecision && marks.every((mark) => texts.includes(mark)) };
    }),
  ]),
  ...from(orderBacklog, { needs }, [
    choice('delivery-order', 'AP-EVENT-047', 'In which order are events delivered?', (backlog) => {
      const { changes, receivedByCustomer } = backlog;
      const received = new Set(receivedByCustomer);
      if (received.size < 2) throw new Skipped('too few events of the orders came');
      const isInOrder = receivedByCustomer.join() === changes.filter((change) => received.has(change)).join();
      return { observed: isInOrder ? 'oldest first' : 'not oldest first', matchesDecision: isInOrder };
    }),
    choice('order-events', 'AP-EVENT-052', 'Which party is notified of which change?', (backlog) => {
      const { changes, receivedByContractor, receivedByCustomer } = backlog;
      const count = (received: readonly string[]) => `${received.length} of ${changes.length} changes`;
      return {
        observed: `the author of ${count(receivedByContractor)}, the other party of ${count(receivedByCustomer)}`,
        matchesDecision: [receivedByContractor, receivedByCustomer].every(({ length }) => length === changes.length),
      };
    }),
  ]),
  ...from(fullConnection, { needs, fixtures: [drainedBacklogs] }, [
    choice('window', 'AP-EVENT-048', 'How many events are delivered without an ack?', ({ frames }) => {
      const inFlight = inFlightOf(frames);
      const isAll = inFlight === new Set(eventsOf(frames).map(({ id }) => id)).size;
      const observed = isAll ? `at least ${inFlight}` : String(inFlight);
      return { observed, matchesDecision: !isAll && inFlight === 64 };
    }),
  ]),
  ...from(wholeRun, { needs }, [
    choice('contact-events', 'AP-EVENT-051', 'Which events does a contact cause?', ({ stream }) => {
      const caused = stream.heard.filter(({ kind }) => kind.startsWith('contact.'));
      if (caused.length === 0) throw new Skipped('no event of a contact came in this run');
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

/** Observes how connections end; the reference server accepts them before it ends them with a code. */
async function observeEndings(run: Run, connections: readonly Connection[], code: number): Promise<Behaviour> {
  await Promise.all(connections.map((connection) => connection.until(() => connection.ending, run.stream.optionalMs)));
  return {
    observed: [...new Set(connections.map(events.describeEnding))].join(', '),
    matchesDecision: connections.every(({ ending }) => ending?.code === code),
  };
}

/** Sends each frame on a connection of its own. */
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
