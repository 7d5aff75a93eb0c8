import { fixture } from '../../context/check.ts';
import type { Connection } from '../../context/events/connection.ts';
import { ackedOf, eventsOf } from '../../context/events/frames.ts';
import type { Run } from '../../context/run.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import * as dialogs from '../messages/messaging.ts';
import * as events from './listening.ts';

const cost = { contactRequests: 1, writes: 3, messages: 1, sockets: 2, seconds: 1 } as const;

/**
 * What two connections of one agent receive of one message: its event, the texts that identify it, how often the first
 * received it, and the responses to a second ack on the first connection and to one on the other.
 */
export const twoConnections = fixture(cost, async (run) => {
  const { alice, bob } = await friendPair(run);
  await events.settleForObservations(run, [alice, bob]);
  const [first, second] = [await events.listen(run, bob), await events.listen(run, bob)];
  const before = events.soFar(run);
  const marks = await dialogs.sendRandom(run, alice, bob);
  const event = await Promise.any([first, second].map((it) => events.expectMessage(run, it, before)));
  const receives = (it: Connection) => it.until(() => events.has(it, event.id) || undefined, run.stream.optionalMs);
  const received = await Promise.all([first, second].map(receives));
  await events.waitForQuiet(run, first);
  const [mine, theirs] = events.has(first, event.id) ? [first, second] : [second, first];
  const times = eventsOf(mine.frames).filter(({ id }) => id === event.id).length;
  await events.acknowledge(run, mine, event.id);
  const secondAck = await tryAck(run, mine, event.id);
  const otherAck = await tryAck(run, theirs, event.id);
  return { event, marks, reachesBoth: received.every(Boolean), times, secondAck, otherAck };
});

async function tryAck(run: Run, connection: Connection, id: string): Promise<string> {
  const count = () => ackedOf(connection.frames).length;
  const before = count();
  connection.sendFrame(events.ackOf(id));
  await connection.until(() => count() > before || !connection.isOpen || undefined, run.stream.optionalMs);
  return count() > before ? 'acked' : `no answer, and the connection ${events.describeEnding(connection)}`;
}
