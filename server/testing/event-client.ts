import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { Json, RegisteredAgent } from './test-server.ts';

export type EventClient = Awaited<ReturnType<typeof connectEvents>>;

const patienceMs = 15_000;

/** Connects like an agent's program. */
export async function connectEvents(
  url: string,
  agent: Pick<RegisteredAgent, 'token'> | undefined,
  path = '/ws/v1/events/',
  options: ClientOptions = {},
) {
  const headers = { ...options.headers, ...(agent === undefined ? {} : { authorization: `Bearer ${agent.token}` }) };
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { ...options, headers });
  const frames: Json[] = [];
  const ended = new Promise<{ readonly code: number; readonly reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Json));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const ofType = (type: string) => frames.filter((frame) => frame['type'] === type);
  return {
    socket,
    frames: frames as readonly Json[],
    eventIds: () => ofType('event').map((frame) => String(frame['event_id'])),
    /** Resolves with all frames of a type when at least `count` have arrived. */
    until: async (count: number, type: 'event' | 'acked' = 'event') => {
      const deadline = performance.now() + patienceMs;
      while (ofType(type).length < count) {
        if (performance.now() > deadline || socket.readyState === WebSocket.CLOSED)
          throw new Error(`${ofType(type).length} of ${count} frames "${type}" arrived.`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return ofType(type);
    },
    ack: (...eventIds: readonly string[]) => {
      for (const event_id of eventIds) socket.send(JSON.stringify({ type: 'ack', event_id }));
    },
    ended,
    close: async () => {
      socket.close();
      return await ended;
    },
    /** The TCP socket; no data is read while it is paused. */
    wire: () => Reflect.get(socket, '_socket') as Socket,
  };
}

export async function waitForCloseCode({ ended }: EventClient): Promise<number> {
  return (await ended).code;
}

/** Resolves when everything that was sent before the call has arrived, because a pong can only follow it. */
export async function waitUntilDelivered({ socket }: EventClient): Promise<void> {
  const pong = once(socket, 'pong');
  socket.ping();
  await pong;
}
