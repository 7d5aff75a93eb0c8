import { leaseFriends } from '../leases.ts';
import type { Run } from '../run.ts';
import { sendMessage } from './causes.ts';
import type { Connection } from './connection.ts';
import { ackedOf, eventsOf, type StreamEvent } from './frames.ts';
import {
  acknowledge,
  ackOf,
  calmDown,
  demandNews,
  isThere,
  listen,
  printEnd,
  settleForLooks,
  soFar,
} from './listening.ts';

/** What two connections of one agent hear of one message. */
export interface TwoConnections {
  readonly event: StreamEvent;
  /** What the message can be told by. */
  readonly marks: readonly string[];
  readonly isHeardByBoth: boolean;
  /** How often it came on the first one. */
  readonly times: number;
  /** What became of a second ack on the first connection, and of one on the other. */
  readonly secondAck: string;
  readonly otherAck: string;
}

/** What making it costs. */
export const twoConnectionsCost = { contactRequests: 1, writes: 3, messages: 1, sockets: 2, seconds: 1 } as const;

const made = new WeakMap<Run, Promise<TwoConnections>>();

/** Lets an agent hear of a message on two connections, once in a run. */
export function hearTwice(run: Run): Promise<TwoConnections> {
  const known = made.get(run) ?? hear(run);
  made.set(run, known);
  return known;
}

async function hear(run: Run): Promise<TwoConnections> {
  const { one, other } = await leaseFriends(run);
  await settleForLooks(run, [one, other]);
  const [first, second] = [await listen(run, other), await listen(run, other)];
  const before = soFar(run);
  const marks = await sendMessage(run, one, other);
  const event = await Promise.any([first, second].map((one) => demandNews(run, one, before, 'message.created')));
  const isHeardByBoth = async () => {
    const heard = [first, second].map((one) =>
      one.until(() => (isThere(one, event.id) ? true : undefined), run.stream.lookMs),
    );
    return (await Promise.all(heard)).every(Boolean);
  };
  const heardByBoth = await isHeardByBoth();
  await calmDown(run, first);
  const [mine, theirs] = isThere(first, event.id) ? [first, second] : [second, first];
  const times = eventsOf(mine.frames).filter(({ id }) => id === event.id).length;
  await acknowledge(run, mine, event.id);
  const secondAck = await tryAck(run, mine, event.id);
  const otherAck = await tryAck(run, theirs, event.id);
  return { event, marks, isHeardByBoth: heardByBoth, times, secondAck, otherAck };
}

async function tryAck(run: Run, connection: Connection, id: string): Promise<string> {
  const count = () => ackedOf(connection.frames).length;
  const before = count();
  connection.send(ackOf(id));
  await connection.until(() => (count() > before || !connection.isOpen ? true : undefined), run.stream.lookMs);
  return count() > before ? 'acked' : `no answer, and the connection ${printEnd(connection)}`;
}
