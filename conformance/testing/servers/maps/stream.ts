import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Bot, currentTimeOf, type OpenConnection, type ServerState, sendEvent } from './world.ts';

const pingMs = 250;
const idleMs = 15_000;
const perAgent = 2;
const inAll = 32;

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

export function botOfToken(world: ServerState, token: string | undefined): Bot | undefined {
  const held = token === undefined ? undefined : world.tokens.get(token);
  return held === undefined || held.ends <= currentTimeOf(world) ? undefined : world.bots.get(held.bot);
}

export const bearerOf = (header: string | undefined) => /^bearer +(\S+)$/i.exec(header ?? '')?.[1];

function listen(world: ServerState, bot: Bot, connection: OpenConnection): void {
  const { socket } = connection;
  const open = world.connections.get(bot.id) ?? new Set<OpenConnection>();
  world.connections.set(bot.id, open.add(connection));
  const idle = setTimeout(() => socket.close(1013), idleMs);
  const pings = setInterval(() => socket.ping(), pingMs);
  socket.on('close', () => {
    clearTimeout(idle);
    clearInterval(pings);
    open.delete(connection);
  });
  socket.on('error', () => socket.terminate());
  socket.on('message', (data, binary) => {
    idle.refresh();
    const frame = binary ? undefined : parsed(String(data));
    if (frame?.['type'] !== 'ack' || typeof frame['event_id'] !== 'string') return socket.close(4400);
    // An ack of an event that was not sent on this connection has no effect and no answer.
    if (!connection.sent.has(frame['event_id'])) return;
    world.notices.get(bot.id)?.delete(frame['event_id']);
    socket.send(JSON.stringify({ type: 'acked', event_id: frame['event_id'], thanks: true }));
  });
  for (const notice of world.notices.get(bot.id)?.values() ?? []) sendEvent(world, connection, notice);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Serves the event stream. It refuses handshakes with an HTTP status, sends pings often, and closes a connection that
 * has sent no ack for too long.
 */
export function serveStream(world: ServerState) {
  const server = new WebSocketServer({ noServer: true, maxPayload: 4096 });
  return (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const [path, query] = (request.url ?? '').split('?');
    if (path !== '/ws/v1/events/') return refuse(socket, '404 Not Found');
    const token = bearerOf(request.headers.authorization);
    const bot = botOfToken(world, token);
    if (bot === undefined || token === undefined) return refuse(socket, '401 Unauthorized');
    if (query !== undefined) return refuse(socket, '400 Bad Request');
    const all = world.connections.values().reduce((sum, { size }) => sum + size, 0);
    const full = all >= inAll || (world.connections.get(bot.id)?.size ?? 0) >= perAgent;
    server.handleUpgrade(request, socket, head, (opened) => {
      if (full) opened.close(4429, 'enough connections');
      else listen(world, bot, { socket: opened, token, sent: new Set() });
    });
  };
}
