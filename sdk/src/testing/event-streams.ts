import { type EventKind, eventsPath, limits } from '@agent-platform/contract';
import { isUuid } from '../crypto/uuid.ts';
import { isRecord, parseJson } from '../json.ts';
import type { StreamConnection, StreamOptions } from '../transport/call-options.ts';
import { FakeStream } from './fake-stream.ts';
import { FakeRefusal } from './refusal.ts';
import type { FakeDatabase } from './world.ts';

interface FakeEvent {
  readonly event_id: string;
  readonly kind: EventKind;
  readonly payload: object;
  /** The other agent of a contact or message event; null for order events. */
  readonly peerId: string | null;
  /** Milliseconds since 1970; null if the event does not expire. */
  readonly expiresMs: number | null;
}

type DraftEvent = Omit<FakeEvent, 'event_id'>;

interface OpenConnection {
  readonly stream: FakeStream;
  readonly agentId: string;
  readonly token: string;
  readonly inFlight: Set<string>;
  /** Events that were sent on this connection and then acknowledged or dropped. */
  readonly settled: Set<string>;
}

/** The events and event streams of all agents of a fake platform (§7.13 to §7.34). */
export class EventStreams {
  readonly #world: FakeDatabase;
  readonly #waiting = new Map<string, FakeEvent[]>();
  readonly #sent = new Map<string, FakeEvent[]>();
  readonly #open = new Set<OpenConnection>();

  constructor(world: FakeDatabase) {
    this.#world = world;
  }

  announce(receiverId: string, draft: DraftEvent): void {
    this.deliver(receiverId, { event_id: this.#world.newId(), ...draft });
  }

  deliver(receiverId: string, event: FakeEvent): void {
    this.#of(this.#waiting, receiverId).push(event);
    this.#send(receiverId);
  }

  /** Drops the unacknowledged contact and message events between two agents, except `contact.blocked`. */
  dropPersonal(oneId: string, otherId: string): void {
    for (const [receiverId, peerId] of [
      [oneId, otherId],
      [otherId, oneId],
    ] as const) {
      this.#remove(receiverId, (event) => event.peerId === peerId && event.kind !== 'contact.blocked');
    }
  }

  /** Resends all events that were already sent, including acknowledged ones. */
  repeat(agentId: string): void {
    const again = this.#of(this.#sent, agentId);
    const waiting = this.#of(this.#waiting, agentId);
    for (const event of again) if (!waiting.includes(event)) waiting.push(event);
    for (const connection of this.#connectionsOf(agentId)) {
      for (const { event_id } of again) {
        connection.inFlight.delete(event_id);
        connection.settled.delete(event_id);
      }
    }
    this.#send(agentId);
  }

  /** Closes the selected connections with a code; without a code, breaks them. */
  end(
    isMeant: (connection: { readonly agentId: string; readonly token: string }) => boolean,
    closeCode?: number,
  ): void {
    for (const connection of [...this.#open]) {
      if (!isMeant(connection)) continue;
      this.#open.delete(connection);
      if (closeCode === undefined) connection.stream.drop('the connection broke');
      else connection.stream.closeWith(closeCode);
    }
  }

  endExpired(): void {
    this.end(({ token }) => (this.#world.tokens.get(token)?.expiresMs ?? 0) <= this.#world.now(), 4401);
  }

  readonly open = async ({ url, token, onOpen }: StreamOptions): Promise<StreamConnection> => {
    const connection: OpenConnection = {
      stream: new FakeStream(
        (text) => this.#receive(connection, text),
        () => this.#open.delete(connection),
      ),
      agentId: this.#world.tokens.get(token)?.agentId ?? '',
      token,
      inFlight: new Set(),
      settled: new Set(),
    };
    const { stream } = connection;
    if (!url.pathname.endsWith(eventsPath)) {
      stream.refuse(404);
      return stream;
    }
    // As on a network, the connection only opens some time after the request.
    setTimeout(() => {
      if (stream.hasEnded) return;
      onOpen();
      const closeCode = this.#findFault(connection, url);
      if (closeCode !== undefined) {
        stream.closeWith(closeCode);
        return;
      }
      this.#open.add(connection);
      this.#send(connection.agentId);
    });
    return stream;
  };

  #findFault({ agentId, token }: OpenConnection, url: URL): number | undefined {
    if (url.search !== '') return 4400;
    try {
      this.#world.authenticate(token);
    } catch (error) {
      return error instanceof FakeRefusal && error.code === 'forbidden' ? 4403 : 4401;
    }
    const isFull =
      this.#connectionsOf(agentId).length >= limits.eventConnectionsPerAgent ||
      this.#open.size >= limits.eventConnections;
    return isFull ? 4429 : undefined;
  }

  #send(agentId: string): void {
    const waiting = this.#of(this.#waiting, agentId);
    for (const { stream, inFlight, settled } of this.#connectionsOf(agentId)) {
      for (const event of waiting) {
        const { event_id, kind, payload, expiresMs } = event;
        if (inFlight.size >= limits.eventsInFlightMax) break;
        if (inFlight.has(event_id) || settled.has(event_id)) continue;
        if (expiresMs !== null && expiresMs <= this.#world.now()) continue;
        inFlight.add(event_id);
        const sent = this.#of(this.#sent, agentId);
        if (!sent.includes(event)) sent.push(event);
        stream.push(JSON.stringify({ type: 'event', event_id, kind, payload }));
      }
    }
  }

  #receive(connection: OpenConnection, text: string): void {
    const { stream, agentId, inFlight, settled } = connection;
    const frame = parseJson(text);
    const isAck = isRecord(frame) && Object.keys(frame).length === 2 && frame['type'] === 'ack';
    const sentId = isAck ? frame['event_id'] : undefined;
    const eventId = isUuid(sentId) ? sentId.toLowerCase() : '';
    if (!inFlight.has(eventId) && !settled.has(eventId)) {
      this.#open.delete(connection);
      stream.closeWith(4400);
      return;
    }
    this.#remove(agentId, ({ event_id }) => event_id === eventId);
    stream.push(JSON.stringify({ type: 'acked', event_id: eventId }));
    this.#send(agentId);
  }

  #remove(agentId: string, isGone: (event: FakeEvent) => boolean): void {
    const waiting = this.#of(this.#waiting, agentId);
    const gone = waiting.filter(isGone);
    this.#waiting.set(
      agentId,
      waiting.filter((event) => !isGone(event)),
    );
    for (const { inFlight, settled } of this.#connectionsOf(agentId)) {
      for (const { event_id } of gone) if (inFlight.delete(event_id)) settled.add(event_id);
    }
  }

  #connectionsOf(agentId: string): readonly OpenConnection[] {
    return [...this.#open].filter((connection) => connection.agentId === agentId);
  }

  #of(lists: Map<string, FakeEvent[]>, agentId: string): FakeEvent[] {
    const list = lists.get(agentId) ?? [];
    lists.set(agentId, list);
    return list;
  }
}
