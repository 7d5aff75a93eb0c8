import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { Json, RegisteredAgent } from './test-server.ts';

/** How a connection ended. */
interface ClosedConnection {
  readonly code: number;
  readonly reason: string;
}

/** An agent's connection to the event stream, with everything that came. */
export interface EventClient {
  readonly socket: WebSocket;
  /** Every frame, as it came. */
  readonly frames: readonly Json[];
  /** The ids of the events that came, in their order. */
  readonly eventIds: () => readonly string[];
  /** Resolves when so many frames of a type have come, with all of them. */
  readonly until: (count: number, type?: 'event' | 'acked') => Promise<readonly Json[]>;
  readonly ack: (...eventIds: readonly string[]) => void;
  readonly ended: Promise<ClosedConnection>;
  readonly close: () => Promise<ClosedConnection>;
  /** Stops reading from the wire. */
  readonly wire: () => Socket;
}

const patienceMs = 15_000;

/** Connects to the event stream as an agent's program would. */
export async function connectEvents(
  url: string,
  agent: Pick<RegisteredAgent, 'token'> | undefined,
  path = '/ws/v1/events/',
  options: ClientOptions = {},
): Promise<EventClient> {
  const headers = agent === undefined ? {} : { authorization: `Bearer ${agent.token}` };
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers, ...options });
  const frames: Json[] = [];
  const ended = new Promise<ClosedConnection>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Json));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const ofType = (type: string) => frames.filter((frame) => frame['type'] === type);
  return {
    socket,
    frames,
    eventIds: () => ofType('event').map((frame) => String(frame['event_id'])),
    until: async (count, type = 'event') => {
      const deadline = performance.now() + patienceMs;
      while (ofType(type).length < count) {
        if (performance.now() > deadline || socket.readyState === WebSocket.CLOSED)
          throw new Error(`${ofType(type).length} of ${count} frames "${type}" came.`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return ofType(type);
    },
    ack: (...eventIds) => {
      for (const event_id of eventIds) socket.send(JSON.stringify({ type: 'ack', event_id }));
    },
    ended,
    close: async () => {
      socket.close();
      return await ended;
    },
    wire: () => Reflect.get(socket, '_socket') as Socket,
  };
}

/** The close code of a connection that ends. */
export async function closeCodeOf({ ended }: EventClient): Promise<number> {
  return (await ended).code;
}

/** Everything that was sent until now has arrived: the answer to a ping comes behind it. */
export async function untilDelivered({ socket }: EventClient): Promise<void> {
  const pong = once(socket, 'pong');
  socket.ping();
  await pong;
}
