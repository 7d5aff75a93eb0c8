import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from './listen.ts';

/** A connection to the stream as the server sees it. */
export interface ScriptedConnection {
  readonly path: string;
  readonly authorization: string | undefined;
  /** The ids acknowledged here, in order. */
  readonly acks: readonly string[];
  /** Sends an object as a frame, or a text unchanged. */
  send(frame: object | string): void;
  close(code: number, reason?: string): void;
  readonly socket: WebSocket;
}

/** A real server with a scripted event stream. */
export type StreamServer = Awaited<ReturnType<typeof streaming>>;

/** Starts a server with an event stream; `script` runs per connection, numbered from 0. Ends with the test. */
export async function streaming(
  script: (connection: ScriptedConnection, index: number) => void = () => undefined,
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const connections: ScriptedConnection[] = [];
  const server = createServer(answer);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    const acks: string[] = [];
    const connection: ScriptedConnection = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      acks,
      send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
      close: (code, reason) => socket.close(code, reason),
      socket,
    };
    socket.on('message', (data) => {
      const { event_id } = JSON.parse(String(data));
      acks.push(event_id);
      socket.send(JSON.stringify({ type: 'acked', event_id }));
    });
    connections.push(connection);
    script(connection, connections.length - 1);
  });
  const url = await listen(server);
  // Hooks run in reverse order, because a server only closes once its sockets are closed.
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  return { url, connections };
}

/** Starts a server that responds with HTTP instead of the stream. */
export async function refusing(status: number, headers: Record<string, string> = {}) {
  const server = createServer();
  server.on('upgrade', (_, socket) => {
    // A client may close a refused connection with a reset.
    socket.on('error', () => socket.destroy());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}content-length: 0\r\n\r\n`);
  });
  return { url: await listen(server) };
}

/** The id of the n-th event. */
export function eventId(number: number): string {
  return `01931f6e-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** The smallest possible order event. */
export function orderEvent(number: number, order = number): object {
  return {
    type: 'event',
    event_id: eventId(number),
    kind: 'order.changed',
    payload: { order_id: eventId(1_000 + order), status: 'offered', version: 1 },
  };
}
