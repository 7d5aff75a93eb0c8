import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from './listen.ts';

/** The server side of a connection to the event stream. */
export interface ScriptedConnection {
  readonly path: string;
  readonly authorization: string | undefined;
  /** The ids of the events acknowledged on this connection, in order. */
  readonly acks: readonly string[];
  /** Sends an object as JSON, or a text unchanged, in a frame. */
  send(frame: object | string): void;
  close(code: number, reason?: string): void;
  readonly socket: WebSocket;
}

export type StreamServer = Awaited<ReturnType<typeof serveStream>>;

/** `script` runs for each connection, numbered from 0. */
export async function serveStream(
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
  // This hook must run before that of `listen`, because a server only closes after all its sockets have closed.
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  return { url, connections };
}

export async function startRefusingServer(status: number, headers: Record<string, string> = {}) {
  const server = createServer();
  server.on('upgrade', (_, socket) => {
    // A client may reset a refused connection.
    socket.on('error', () => socket.destroy());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}content-length: 0\r\n\r\n`);
  });
  return { url: await listen(server) };
}

export function makeEventId(number: number): string {
  return `01931f6e-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

export function makeOrderEvent(number: number, order = number): object {
  return {
    type: 'event',
    event_id: makeEventId(number),
    kind: 'order.changed',
    payload: { order_id: makeEventId(1_000 + order), status: 'offered', version: 1 },
  };
}
