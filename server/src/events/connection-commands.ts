import { type CloseCode, limits } from '@agent-platform/contract';
import type { WebSocket } from 'ws';
import { type Clock, minute } from '../platform/clock.ts';
import type { Semaphore } from '../platform/semaphore.ts';
import { countInto, judge, type RateLimit, type Window } from '../rate-limits/rate-limit.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import { readAck } from './ack-frame.ts';
import { DeliveryWindow } from './delivery-window.ts';
import { settleEvents } from './event-commands.ts';
import { showAcked, showEvent, type WaitingEvent } from './event-view.ts';
import { findStillWaiting, readWaiting } from './waiting-queries.ts';

/** What all connections of a process share. */
export interface ConnectionParts {
  readonly store: Store;
  readonly clock: Clock;
  /** So many connections ask the database at the same time. */
  readonly turnstile: Semaphore;
  /** Tells the agent's other connections that these events are gone. */
  readonly settled: (from: EventConnection, numbers: readonly number[]) => void;
  /** A failure that is not the client's; the connection is closed 1013. */
  readonly failed: (from: EventConnection, error: unknown) => void;
}

/** Who a connection belongs to. */
export interface Bearer {
  readonly agentId: string;
  readonly tokenHash: string;
}

/** While more than this waits for a client to read it, nothing more is read for it from the database. */
export const waitingBytesMax = 256 * 1024;

/** For so many inspections, one a second, a client may leave that much unread. */
const behindInspectionsMax = 30;

/** A peer that has not answered so many pings is gone (D-32). */
const missedPingsMax = 2;

const frameLimit: RateLimit = { name: 'event-frames', max: limits.eventFramesPerMinute, windowMs: minute };

const noFrames: Window = { count: 0, endsAtMs: 0 };

interface PendingAck {
  readonly eventId: string;
  /** The number to settle; undefined where nothing is left to settle. */
  readonly number: number | undefined;
}

/**
 * One connection to the event stream: sends what waits as far as the window
 * allows, takes acks, and keeps to the limits of D-31 and D-32. It is a class
 * because thousands of them share its methods.
 */
export class EventConnection {
  readonly id: string;
  readonly bearer: Bearer;
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #window = new DeliveryWindow(limits.eventsInFlightMax);
  #frames: Window = noFrames;
  #acks: PendingAck[] = [];
  #isSettling = false;
  #isReading = false;
  /** Something may wait that has not been read. */
  #hasMore = true;
  /** Events in flight may have been settled or dropped elsewhere. */
  #mayHaveGone = false;
  /** Everything that waited has been sent; what comes now may be sent without a look. */
  #isLive = false;
  /** The last number that was read of a long backlog; 0 reads from its beginning. */
  #after = 0;
  #behindInspections = 0;
  #missedPings = 0;
  /** When the token expires; known from the first check of its standing on. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** Events sent and acks kept, for the log. */
  delivered = 0;
  acknowledged = 0;

  constructor(id: string, bearer: Bearer, socket: WebSocket, parts: ConnectionParts) {
    this.id = id;
    this.bearer = bearer;
    this.#socket = socket;
    this.#parts = parts;
  }

  /** Whether something is under way, so that a lost wake-up could leave it undone. */
  get isBusy(): boolean {
    return this.#hasMore || !this.#window.isEmpty;
  }

  /** Looks into the database for what is to be sent; resolves when that is done. */
  async wake(): Promise<void> {
    this.#mayHaveGone = true;
    await this.#readMore();
  }

  /** The same where only room can have come about. */
  wakeIfFull(): void {
    if (this.#window.room === 0) void this.wake();
  }

  /** Sends an event that has just been committed, at once where everything before it has been sent. */
  offer(event: WaitingEvent): void {
    if (!this.#isLive || this.#isReading || this.#window.room === 0 || this.#isBehind()) void this.#readMore();
    else this.#send(event);
  }

  /** Frees the places of events that another connection of the agent has settled. */
  forget(numbers: ReadonlySet<number>): void {
    this.#window.forget((number) => numbers.has(number));
    void this.#deliver();
  }

  /** Takes a frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen()) return;
    const eventId = isBinary ? undefined : readAck(data.toString());
    if (eventId === undefined) {
      this.close(4400, 'Send nothing but {"type":"ack","event_id":"<uuid>"}.');
      return;
    }
    const meaning = this.#window.acknowledge(eventId);
    // The first ack of each event is free: a long backlog must drain at full speed (D-32).
    if ((meaning.kind === 'repeat' || meaning.kind === 'foreign') && !this.#mayComeAgain()) return;
    if (meaning.kind === 'foreign') {
      this.close(4400, 'This event was not received on this connection.');
      return;
    }
    this.#acks.push({ eventId, number: meaning.kind === 'first' ? meaning.number : undefined });
    void this.#settle();
  }

  /** Counts a control frame that nobody asked for; they cost as much as any other. */
  receiveControl(): void {
    if (this.#isOpen()) this.#mayComeAgain();
  }

  /** Notes the answer to a ping. */
  receivePong(): void {
    if (this.#missedPings === 0) this.receiveControl();
    this.#missedPings = 0;
  }

  /** Asks whether the peer is still there; drops one that has not answered for too long. */
  ping(): void {
    if (this.#missedPings >= missedPingsMax) {
      this.#socket.terminate();
      return;
    }
    this.#missedPings += 1;
    if (this.#isOpen()) this.#socket.ping();
  }

  /** Closes the connection of a token that has expired, and that of a client that does not read. Called every second. */
  inspect(nowMs: number): void {
    this.#behindInspections = this.#isBehind() ? this.#behindInspections + 1 : 0;
    if (this.expiresAtMs <= nowMs) this.close(4401, 'The token has expired.');
    else if (this.#behindInspections > behindInspectionsMax) this.close(1013, 'You do not read what is sent to you.');
  }

  close(code: CloseCode, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  async #readMore(): Promise<void> {
    this.#hasMore = true;
    this.#isLive = false;
    await this.#deliver();
  }

  // One look at a time; a wake-up in the middle of one leads to another.
  async #deliver(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#mayLook()) await this.#parts.turnstile(() => this.#look());
    } catch (error) {
      this.#hasMore = true;
      this.#isLive = false;
      this.#parts.failed(this, error);
      // Without its database a connection waits for it; anything else is a defect.
      if (!(error instanceof StoreUnavailable)) this.close(1013, 'The server failed. Come back later.');
    } finally {
      this.#isReading = false;
    }
  }

  #mayLook(): boolean {
    const hasRoom = this.#window.room > 0 || this.#mayHaveGone;
    return this.#hasMore && hasRoom && this.#isOpen() && !this.#isBehind();
  }

  async #look(): Promise<void> {
    if (this.#window.room === 0) await this.#findGone();
    const { room: limit } = this.#window;
    if (limit === 0 || !this.#isOpen()) return;
    const after = this.#after;
    this.#hasMore = false;
    const range = { agentId: this.bearer.agentId, after, except: this.#window.numbers(), limit };
    const events = await readWaiting(this.#parts.store, { ...range, now: this.#parts.clock() });
    if (!this.#isOpen()) return;
    for (const event of events) this.#send(event);
    // While as much comes as is asked for, reading goes on behind it: what was
    // settled before need not be stepped over again. The end is looked at once
    // more from the beginning, for numbers that were committed late.
    const isEnd = events.length < limit;
    this.#after = isEnd ? 0 : (events.at(-1)?.number ?? 0);
    if (!isEnd || after !== 0) this.#hasMore = true;
    this.#isLive = !this.#hasMore;
  }

  async #findGone(): Promise<void> {
    this.#mayHaveGone = false;
    const numbers = new Set(this.#window.numbers());
    const waiting = await findStillWaiting(this.#parts.store, this.bearer.agentId, [...numbers]);
    this.#window.forget((number) => numbers.has(number) && !waiting.has(number));
  }

  #send(event: WaitingEvent): void {
    if (!this.#window.deliver(event.eventId, event.number)) return;
    this.delivered += 1;
    this.#socket.send(showEvent(event), (error) => {
      // The frame that empties the queue lets the next ones in.
      if (error == null && this.#mayLook()) void this.#deliver();
    });
  }

  // Acks that come while others are being committed are committed together, next.
  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    try {
      while (this.#acks.length > 0) {
        const acks = this.#acks;
        this.#acks = [];
        await this.#commit(acks);
      }
    } catch (error) {
      this.#parts.failed(this, error);
      // Nobody knows what was settled; the events come again on the next connection.
      this.close(1013, 'The ack could not be kept. Come back later.');
    } finally {
      this.#isSettling = false;
    }
  }

  async #commit(acks: readonly PendingAck[]): Promise<void> {
    const { store, turnstile, settled } = this.#parts;
    const numbers = acks.flatMap(({ number }) => number ?? []);
    if (numbers.length > 0) {
      await turnstile(() => settleEvents(store, this.bearer.agentId, numbers));
      this.#window.settle(acks.map(({ eventId }) => eventId));
      this.acknowledged += numbers.length;
      settled(this, numbers);
    }
    if (this.#isOpen()) for (const { eventId } of acks) this.#socket.send(showAcked(eventId));
    void this.#deliver();
  }

  #mayComeAgain(): boolean {
    const nowMs = this.#parts.clock().getTime();
    this.#frames = countInto(this.#frames, 1, frameLimit, nowMs);
    if (judge(this.#frames, frameLimit, nowMs).allowed) return true;
    this.close(4429, `More than ${frameLimit.max} frames in a minute, first acks not counted.`);
    return false;
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #isBehind(): boolean {
    return this.#socket.bufferedAmount > waitingBytesMax;
  }
}
