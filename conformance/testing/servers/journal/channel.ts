import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Journal, Stored } from './journal.ts';

const pingMs = 250;
const idleMs = 15_000;
const ackDelayMs = 30;

interface Listener {
  readonly socket: WebSocket;
  readonly agent: string;
  readonly token: string;
  readonly received: Set<string>;
  heardAt: number;
}

/** The event stream: every event comes twice, what waited comes newest first, idle connections end. */
export class Channel {
  readonly #journal: Journal;
  readonly #listeners = new Set<Listener>();
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 8192 });
  readonly #tick: NodeJS.Timeout;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#tick = setInterval(() => this.#keepOrEnd(), pingMs);
  }

  close(): void {
    clearInterval(this.#tick);
    for (const { socket } of this.#listeners) socket.terminate();
  }

  drop(token: string): void {
    for (const listener of this.#listeners) if (listener.token === token) listener.socket.close(4401);
  }

  tell(to: string, kind: string, payload: object, personal: string): void {
    const made = this.#journal.begin('event', { to, kind, payload, personal, settled: false });
    const event = this.#journal.one('event', made);
    for (const listener of this.#listeners) if (event && listener.agent === to) this.#deliver(listener, event);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, agent: string | undefined, token: string): void {
    const [path, query] = (request.url ?? '').split('?');
    if (path !== '/ws/v1/events/') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const mine = [...this.#listeners].filter((listener) => listener.agent === agent);
      if (query !== undefined) opened.close(4400);
      else if (agent === undefined) opened.close(4401);
      else if (mine.length >= 2 || this.#listeners.size >= 32) opened.close(4429);
      else this.#listen({ socket: opened, agent, token, received: new Set(), heardAt: Date.now() });
    });
  }

  #listen(listener: Listener): void {
    this.#listeners.add(listener);
    listener.socket.on('close', () => this.#listeners.delete(listener));
    listener.socket.on('error', () => listener.socket.terminate());
    listener.socket.on('message', (data, isBinary) => this.#hear(listener, isBinary ? '' : String(data)));
    const waiting = this.#journal.all('event').filter(({ to, settled }) => to === listener.agent && !settled);
    for (const event of waiting.toReversed()) this.#deliver(listener, event);
  }

  #deliver({ socket, received }: Listener, { id, kind, payload }: Stored<'event'>): void {
    received.add(id);
    socket.send(JSON.stringify({ type: 'event', event_id: id, kind, payload }, null, 2));
    socket.send(JSON.stringify({ payload, kind, event_id: id, type: 'event' }));
  }

  #hear(listener: Listener, text: string): void {
    listener.heardAt = Date.now();
    const { type, event_id: event } = parsed(text);
    if (type !== 'ack' || typeof event !== 'string' || !listener.received.has(event.toUpperCase())) {
      listener.socket.close(4400);
      return;
    }
    this.#journal.change('event', event.toUpperCase(), { settled: true });
    setTimeout(() => listener.socket.send(JSON.stringify({ event_id: event, type: 'acked' })), ackDelayMs);
  }

  #keepOrEnd(): void {
    const tokens = this.#journal.all('token');
    for (const { socket, token, heardAt } of this.#listeners) {
      const held = tokens.find(({ id }) => id === token);
      if (held === undefined || held.ended || held.ends <= this.#journal.now()) socket.close(4401);
      else if (Date.now() - heardAt > idleMs) socket.close(1013);
      else socket.ping();
    }
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
