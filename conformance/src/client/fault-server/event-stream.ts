import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FaultPlatform } from './fault-platform.ts';
import type { Trace, TracedFrame } from './trace.ts';

interface Waiting {
  readonly id: string;
  readonly frame: string;
}

/** The event stream of the fault server: it repeats events and can cut connections. */
export class FaultStream {
  /** How many of the next connections are cut at once. */
  cuts = 0;
  /** How often each event is sent on a connection. */
  copies = 1;
  /** Called when an ack has come, before it is answered. */
  onAck: ((eventId: string) => void) | undefined;
  readonly #waiting: Waiting[] = [];
  readonly #open = new Map<WebSocket, Set<string>>();
  readonly #trace: Trace;

  constructor(http: Server, platform: FaultPlatform, trace: Trace) {
    this.#trace = trace;
    const server = new WebSocketServer({ noServer: true });
    http.on('upgrade', (request, socket, head) => {
      const url = request.url ?? '';
      const isOwn = platform.token !== '' && request.headers.authorization === `Bearer ${platform.token}`;
      if (url.split('?')[0] !== '/ws/v1/events/' || this.cuts > 0) {
        this.cuts -= 1;
        this.#note('refuse', '', url);
        socket.destroy();
        return;
      }
      server.handleUpgrade(request, socket, head, (opened) => {
        this.#note('open', '', url);
        if (url.includes('?')) opened.close(4400);
        else if (isOwn) this.#listen(opened);
        else opened.close(4401);
      });
    });
  }

  #note(did: TracedFrame['did'], eventId: string, url = ''): void {
    this.#trace.frames.push({ at: Date.now(), did, eventId, url });
  }

  #listen(socket: WebSocket): void {
    const sent = new Set<string>();
    this.#open.set(socket, sent);
    socket.on('close', () => this.#open.delete(socket));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => this.#hear(socket, sent, String(data)));
    for (const event of this.#waiting) this.#send(socket, sent, event);
  }

  #hear(socket: WebSocket, sent: ReadonlySet<string>, text: string): void {
    const eventId = readAck(text);
    if (eventId === undefined) {
      this.#note('invalid frame', text.slice(0, 100));
      socket.close(4400);
      return;
    }
    this.#note(sent.has(eventId) ? 'ack' : 'ack of nothing', eventId);
    const at = this.#waiting.findIndex(({ id }) => id === eventId);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.onAck?.(eventId);
    socket.send(JSON.stringify({ type: 'acked', event_id: eventId }));
  }

  #send(socket: WebSocket, sent: Set<string>, { id, frame }: Waiting): void {
    sent.add(id);
    this.#note('event', id);
    for (let copy = 0; copy < this.copies; copy += 1) socket.send(frame);
  }

  announce(kind: string, payload: object): string {
    const id = randomUUID();
    const event = { id, frame: JSON.stringify({ type: 'event', event_id: id, kind, payload }) };
    this.#waiting.push(event);
    for (const [socket, sent] of this.#open) this.#send(socket, sent, event);
    return id;
  }

  /** Whether the agent is connected. */
  isConnected(): boolean {
    return this.#open.size > 0;
  }

  /** Cuts all connections as a broken network does. */
  cut(): void {
    for (const socket of this.#open.keys()) socket.terminate();
    this.#open.clear();
  }
}

function readAck(text: string): string | undefined {
  try {
    const frame = JSON.parse(text);
    return frame?.type === 'ack' && typeof frame.event_id === 'string' ? frame.event_id : undefined;
  } catch {
    return undefined;
  }
}
