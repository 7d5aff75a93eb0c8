import { randomUUID } from 'node:crypto';
import type { Behaviour, Observation } from '../../context/check.ts';
import type { Cost } from '../../context/cost.ts';
import type { Connection } from '../../context/events/connection.ts';
import { eventsOf } from '../../context/events/frames.ts';
import { Skipped } from '../../context/expectations.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import { streamPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { ackOf, describeEnding, listen } from '../../fixtures/events/listening.ts';
import {
  fewOrdersCost,
  inFlightOf,
  manyOrdersCost,
  orderBacklog,
  overfill,
} from '../../fixtures/events/order-backlog.ts';
import { twoConnections, twoConnectionsCost } from '../../fixtures/events/two-connections.ts';
import { revokesNewcomer } from '../identity/tokens.ts';
import { observation } from '../observation.ts';

/** What servers may choose of the event stream. */
export const eventObservations: readonly Observation[] = [
  streamLook('bad-token', 'AP-EVENT-038', 'How is an invalid token refused? (D-32)', { sockets: 2 }, async (run) => {
    const connections = [await run.stream.connect({}), await run.stream.connect({ token: randomUUID() })];
    return await seeEnds(run, connections, 4401);
  }),
  streamLook(
    'ended-token',
    'AP-EVENT-039',
    'How does the connection of a revoked token end? (D-32)',
    { writes: 2, sockets: 1 },
    async (run) => {
      const end = (await revokesNewcomer(run)).connection?.end;
      if (end === undefined) throw new Skipped('no connection ended with its token');
      return { observed: `closed with ${end.code}`, matchesDecision: end.code === 4401 };
    },
  ),
  streamLook(
    'stream-query',
    'AP-EVENT-040',
    'How is a query in the URL handled? (D-32)',
    { sockets: 1 },
    async (run) => {
      const { token } = await run.primaryAgent();
      return await seeEnds(run, [await run.stream.connect({ token, path: `${streamPath}?after=1` })], 4400);
    },
  ),
  streamLook(
    'stream-slash',
    'AP-EVENT-041',
    'How is the path without its slash answered? (D-32)',
    { sockets: 1 },
    async (run) => {
      const { token } = await run.primaryAgent();
      const connection = await run.stream.connect({ token, path: streamPath.replace(/\/$/, '') });
      return { observed: describeEnding(connection), matchesDecision: connection.exchange.status === 404 };
    },
  ),
  streamLook(
    'no-ack',
    'AP-EVENT-042',
    'How are an invalid frame, a binary frame and an unknown ack handled? (D-32)',
    { sockets: 1, seconds: 1 },
    async (run) => await seeEnds(run, await afterFrames(run, ['ack', Buffer.from('ack'), ackOf(randomUUID())]), 4400),
  ),
  streamLook('large-frame', 'AP-EVENT-043', 'How is a frame of 5 KiB handled? (D-32)', { sockets: 1 }, async (run) => {
    return await seeEnds(run, await afterFrames(run, [ackOf(randomUUID()).padEnd(5_120)]), 1009);
  }),
  streamLook(
    'third',
    'AP-EVENT-044',
    'Which of three connections is closed, and how? (D-32)',
    { sockets: 3 },
    async (run) => {
      const agent = await run.primaryAgent();
      const both = [await listen(run, agent), await listen(run, agent)];
      const third = await run.stream.connect({ token: agent.token });
      const { observed: seen, matchesDecision: asDecided } = await seeEnds(run, [third], 4429);
      const isAlone = both.every(({ isOpen }) => isOpen);
      return { observed: `the last one ${seen}`, matchesDecision: asDecided && isAlone };
    },
  ),
  streamLook('second-ack', 'AP-EVENT-045', 'How is a second ack handled? (D-32)', twoConnectionsCost, async (run) => {
    const { secondAck } = await twoConnections(run);
    return { observed: secondAck, matchesDecision: secondAck === 'acked' };
  }),
  streamLook(
    'two-connections',
    'AP-EVENT-046',
    'Do both connections of an agent receive an event, and how is an ack on the other connection handled? (D-31, D-32)',
    twoConnectionsCost,
    async (run) => {
      const { isHeardByBoth, otherAck } = await twoConnections(run);
      const seen = `${isHeardByBoth ? 'both' : 'one of them'}; after an ack on one, on the other: ${otherAck}`;
      return { observed: seen, matchesDecision: isHeardByBoth && otherAck === 'acked' };
    },
  ),
  streamLook(
    'delivery-order',
    'AP-EVENT-047',
    'In which order are events delivered? (D-31)',
    fewOrdersCost,
    async (run) => {
      const { changes, heardByCustomer } = await orderBacklog(run);
      const heard = new Set(heardByCustomer);
      const isInOrder = heardByCustomer.join() === changes.filter((change) => heard.has(change)).join();
      if (heard.size < 2) throw new Skipped('received too few order events');
      return { observed: isInOrder ? 'oldest first' : 'not oldest first', matchesDecision: isInOrder };
    },
  ),
  streamLook(
    'window',
    'AP-EVENT-048',
    'How many events are delivered without an ack? (D-31)',
    manyOrdersCost,
    async (run) => {
      const { frames } = await overfill(run);
      const inFlight = inFlightOf(frames);
      const isAll = inFlight === new Set(eventsOf(frames).map(({ id }) => id)).size;
      return {
        observed: isAll ? `at least ${inFlight}` : String(inFlight),
        matchesDecision: !isAll && inFlight === 64,
      };
    },
  ),
  streamLook(
    'stream-repeats',
    'AP-EVENT-049',
    'Is an event delivered twice on the same connection? (D-31)',
    twoConnectionsCost,
    async (run) => {
      const { times } = await twoConnections(run);
      return { observed: times === 1 ? 'once' : `${times} times`, matchesDecision: times === 1 };
    },
  ),
  streamLook(
    'message-event',
    'AP-EVENT-050',
    'Which payload does message.created have? (D-29)',
    twoConnectionsCost,
    async (run) => {
      const { event, marks } = await twoConnections(run);
      const payload: JsonObject = isObject(event.payload) ? event.payload : {};
      const names = [
        ...['id', 'sender_id', 'recipient_id', 'created_at', 'expires_at'],
        ...['client_message_id', 'nonce'],
      ];
      const has = [...names, 'ciphertext', 'encryption_version', 'sender_public_key', 'recipient_public_key'];
      const texts = textsOf(payload).map(({ text }) => text);
      const asDecided = has.every((name) => name in payload) && marks.every((mark) => texts.includes(mark));
      return { observed: Object.keys(payload).join(', '), matchesDecision: asDecided };
    },
  ),
  streamLook('contact-events', 'AP-EVENT-051', 'Which agents receive which contact events? (D-27)', {}, async (run) =>
    seeContacts(run),
  ),
  streamLook(
    'order-events',
    'AP-EVENT-052',
    'Which participants receive which order events? (D-30)',
    fewOrdersCost,
    async (run) => {
      const { changes, heardByContractor, heardByCustomer } = await orderBacklog(run);
      const count = (heard: readonly string[]) => `${heard.length} of ${changes.length} changes`;
      const seen = `its author ${count(heardByContractor)}, the other party ${count(heardByCustomer)}`;
      return {
        observed: seen,
        matchesDecision: [heardByContractor, heardByCustomer].every((heard) => heard.length === changes.length),
      };
    },
  ),
];

function streamLook(
  id: string,
  requirement: string,
  question: string,
  cost: Partial<Cost>,
  see: (run: Run) => Promise<Behaviour>,
): Observation {
  return { ...observation(id, requirement, question, see, cost), needs: ['stream'] };
}

/** Sees how connections end, which the reference server lets come about before it ends them with a code. */
async function seeEnds(run: Run, connections: readonly Connection[], code: number): Promise<Behaviour> {
  await Promise.all(connections.map((connection) => connection.until(() => connection.ending, run.stream.silenceMs)));
  return {
    observed: [...new Set(connections.map(describeEnding))].join(', '),
    matchesDecision: connections.every(({ ending }) => ending?.code === code),
  };
}

/** Sends each frame on a connection of its own. */
async function afterFrames(run: Run, frames: readonly (string | Buffer)[]): Promise<readonly Connection[]> {
  const connections: Connection[] = [];
  for (const frame of frames) {
    const connection = await listen(run, await run.primaryAgent());
    connection.sendFrame(frame);
    await connection.until(() => connection.ending, run.stream.silenceMs);
    connections.push(connection);
  }
  return connections;
}

// What each kind says of the contact as its receiver sees it.
const statusOfKind = { 'contact.requested': 'incoming', 'contact.accepted': 'friends', 'contact.blocked': 'blocked' };

function seeContacts({ stream }: Run): Behaviour {
  const heard = stream.heard.filter(({ kind }) => kind.startsWith('contact.'));
  if (heard.length === 0) throw new Skipped('received no contact event in this run');
  const members = (payload: unknown) => (isObject(payload) ? Object.keys(payload).join(', ') : typeof payload);
  const seen = new Set(heard.map(({ kind, payload }) => `${kind}: ${members(payload)}`));
  const asDecided = Object.entries(statusOfKind).every(([kind, status]) => {
    const payloads = heard.filter((event) => event.kind === kind).map(({ payload }) => payload);
    const isContact = (payload: unknown) =>
      isObject(payload) && 'contact_id' in payload && isObject(payload['peer']) && payload['status'] === status;
    return payloads.length > 0 && payloads.every(isContact);
  });
  return { observed: [...seen].toSorted().join('; '), matchesDecision: asDecided };
}
