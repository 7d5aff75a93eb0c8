import { type CloseCode, limits } from '@agent-platform/contract';
import type { WebSocket } from 'ws';
import { type Clock, minute } from '../platform/clock.ts';
import type { Semaphore } from '../platform/semaphore.ts';
import { countInto, judge, type RateLimit, type Window } from '../rate-limits/rate-limit.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import { AckWindow, parseAckFrame } from './ack-window.ts';
import { settleEvents } from './event-commands.ts';
import { showAcked, showEvent, type WaitingEvent } from './event-view.ts';
import { findStillWaiting, readWaiting } from './waiting-queries.ts';

/** The shared parts of all connections of a process. */
export interface ConnectionParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Limits the connections that query the database at the same time. */
  readonly semaphore: Semaphore;
  /** The same for first events, whose queries are shared. */
  readonly firstReads: Semaphore;
  /** Called with each event that was sent, and the time since which its client could have received it. */
  delivered(event: WaitingEvent, readyMs: number): void;
  /** Removes settled events from the other connections of the agent. */
  settled(from: EventConnection, numbers: readonly number[]): void;
  /** Reports a failure of the server. */
  failed(error: unknown): void;
}

/** A client with more unread bytes receives no more events; after so many inspections, one a second, it is disconnected. */
const [unreadBytesMax, behindInspectionsMax] = [256 * 1024, 30];

/** A peer that misses this number of pings is disconnected (§7.34). */
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
 * allows, takes acks, and keeps to the limits of §7.20 and §7.33. It is a class
 * because thousands of them share its methods.
 */
export class EventConnection {
  readonly id: string;
  readonly bearer: { readonly agentId: string; readonly tokenHash: string };
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #window = new AckWindow(limits.eventsInFlightMax);
  #frames: Window = noFrames;
  #acks: PendingAck[] = [];
  #isSettling = false;
  /** Until the start, events are noted as waiting. */
  #isReading = true;
  /** There may be waiting events that are not read yet. */
  #hasMore = false;
  /** Events in flight may have been settled or dropped elsewhere. */
  #mayBeStale = false;
  /** The backlog is sent; a new event may be sent without a query. */
  #isLive = false;
  /** The last number read of a long backlog; 0 reads from its start. */
  #after = 0;
  #behindInspections = 0;
  #missedPings = 0;
  /** Since when the client can take events: before, it had to acknowledge or to read others. */
  #readyMs: number;
  /** The expiry of the token; known after the first check of its status. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** Events sent and acks committed, for the log. */
  delivered = 0;
  acknowledged = 0;

  constructor(id: string, bearer: EventConnection['bearer'], socket: WebSocket, parts: ConnectionParts) {
    this.id = id;
    this.bearer = bearer;
    this.#socket = socket;
    this.#parts = parts;
    this.#readyMs = parts.clock().getTime();
  }

  /** Whether a lost wake-up could leave events undelivered. */
  get isBusy(): boolean {
    return this.#hasMore || !this.#window.isEmpty;
  }

  /** Starts the delivery: with a query only if events wait already, or came since the connection is known. */
  start(hasEvents: boolean): void {
    this.#isReading = false;
    if (hasEvents || this.#hasMore) void this.#readMore();
    else this.#isLive = true;
  }

  /** Reads and sends waiting events; resolves when that is done. */
  async wake(): Promise<void> {
    this.#mayBeStale = true;
    await this.#readMore();
  }

  /** The same after other connections settled events: only a full window can profit. */
  wakeIfFull(): void {
    if (this.#window.capacity === 0) void this.wake();
  }

  /** Sends a new event, immediately if all earlier events are sent. */
  offer(event: WaitingEvent): void {
    if (!this.#isLive || this.#isReading || this.#window.capacity === 0 || this.#isBehind()) void this.#readMore();
    else this.#send(event);
  }

  /** Removes events that another connection of the agent has settled. */
  forget(numbers: ReadonlySet<number>): void {
    if (this.#window.capacity === 0) this.#readyMs = this.#parts.clock().getTime();
    this.#window.forget((number) => numbers.has(number));
    void this.#deliver();
  }

  /** Handles a frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen()) return;
    const eventId = isBinary ? undefined : parseAckFrame(data.toString());
    if (eventId === undefined) {
      this.close(4400, 'Send only {"type":"ack","event_id":"<uuid>"}.');
      return;
    }
    const { kind, number } = this.#window.acknowledge(eventId);
    // The first ack of each event is free: a long backlog must drain at full speed (§7.33).
    if ((kind === 'repeat' || kind === 'foreign') && !this.#countFrame()) return;
    if (kind === 'foreign') {
      this.close(4400, 'This event was not received on this connection.');
      return;
    }
    this.#acks.push({ eventId, number });
    void this.#settle();
  }

  /** Counts an unsolicited control frame; it costs as much as any other frame. */
  receiveControl(): void {
    if (this.#isOpen()) this.#countFrame();
  }

  /** Records the answer to a ping. */
  receivePong(): void {
    if (this.#missedPings === 0) this.receiveControl();
    this.#missedPings = 0;
  }

  /** Pings the peer; drops a peer that has not answered for too long. */
  ping(): void {
    this.#missedPings += 1;
    if (this.#missedPings > missedPingsMax) this.#socket.terminate();
    else if (this.#isOpen()) this.#socket.ping();
  }

  /** Closes the connection when its token has expired or its client does not read. Called every tick. */
  inspect(nowMs: number): void {
    this.#behindInspections = this.#isBehind() ? this.#behindInspections + 1 : 0;
    if (!this.closeIfExpired(nowMs) && this.#behindInspections > behindInspectionsMax)
      this.close(1013, 'The client does not read its events.');
  }

  /** Closes the connection when its token has expired. */
  closeIfExpired(nowMs: number): boolean {
    const isExpired = this.expiresAtMs <= nowMs;
    if (isExpired) this.close(4401, 'The token has expired.');
    return isExpired;
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

  // One query at a time; a wake-up during a query causes another one.
  async #deliver(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#mayRead()) {
        const { semaphore, firstReads } = this.#parts;
        await (this.#after === 0 && this.#window.isEmpty ? firstReads : semaphore)(() => this.#readWaiting());
      }
    } catch (error) {
      this.#hasMore = true;
      this.#isLive = false;
      this.#parts.failed(error);
      // A connection waits for an unavailable database; any other error is a defect.
      if (!(error instanceof StoreUnavailable)) this.close(1013, 'Internal server error. Reconnect later.');
    } finally {
      this.#isReading = false;
    }
  }

  #mayRead(): boolean {
    const hasCapacity = this.#window.capacity > 0 || this.#mayBeStale;
    return this.#hasMore && hasCapacity && this.#isOpen() && !this.#isBehind();
  }

  async #readWaiting(): Promise<void> {
    if (this.#window.capacity === 0) await this.#dropStale();
    const { capacity: limit } = this.#window;
    if (limit === 0 || !this.#isOpen()) return;
    const after = this.#after;
    this.#hasMore = false;
    const range = { agentId: this.bearer.agentId, after, except: this.#window.numbers(), limit };
    const { events, isEnd } = await readWaiting(this.#parts.store, { ...range, now: this.#parts.clock() });
    if (!this.#isOpen()) return;
    for (const event of events) this.#send(event);
    // A full batch is continued after its last number, so that settled events are
    // not read again. After the last batch the backlog is read once more from its
    // start, for numbers that were committed late.
    this.#after = isEnd ? 0 : (events.at(-1)?.number ?? 0);
    if (!isEnd || after !== 0) this.#hasMore = true;
    this.#isLive = !this.#hasMore;
  }

  async #dropStale(): Promise<void> {
    this.#mayBeStale = false;
    const numbers = new Set(this.#window.numbers());
    const waiting = await findStillWaiting(this.#parts.store, this.bearer.agentId, [...numbers]);
    this.#readyMs = this.#parts.clock().getTime();
    this.#window.forget((number) => numbers.has(number) && !waiting.has(number));
  }

  #send(event: WaitingEvent): void {
    if (!this.#window.deliver(event.event_id, event.number)) return;
    this.delivered += 1;
    this.#parts.delivered(event, this.#readyMs);
    this.#socket.send(showEvent(event), (error) => {
      // The frame that empties the send buffer continues the delivery.
      if (error != null || !this.#mayRead()) return;
      this.#readyMs = this.#parts.clock().getTime();
      void this.#deliver();
    });
  }

  // Acks that arrive during a commit are committed together in the next one.
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
      this.#parts.failed(error);
      // Unknown which acks are committed; the events are sent again on the next connection.
      this.close(1013, 'The ack could not be stored. Reconnect later.');
    } finally {
      this.#isSettling = false;
    }
  }

  async #commit(acks: readonly PendingAck[]): Promise<void> {
    const { store, semaphore } = this.#parts;
    const numbers = acks.flatMap(({ number }) => number ?? []);
    if (numbers.length > 0) {
      await semaphore(() => settleEvents(store, this.bearer.agentId, numbers));
      if (this.#window.capacity === 0) this.#readyMs = this.#parts.clock().getTime();
      this.#window.settle(acks.map(({ eventId }) => eventId));
      this.acknowledged += numbers.length;
      this.#parts.settled(this, numbers);
    }
    if (this.#isOpen()) for (const { eventId } of acks) this.#socket.send(showAcked(eventId));
    void this.#deliver();
  }

  #countFrame(): boolean {
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
    return this.#socket.bufferedAmount > unreadBytesMax;
  }
}
