import { type CloseCode, limits } from '@agent-platform/contract';
import type { WebSocket } from 'ws';
import { type Clock, minute } from '../platform/clock.ts';
import type { Semaphore } from '../platform/semaphore.ts';
import { addToWindow, judgeRequest, type RateLimit, type RateWindow } from '../rate-limits/rate-limit.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { AckWindow, parseAckFrame } from './ack-window.ts';
import { settleEvents } from './event-commands.ts';
import { formatAckedFrame, formatEventFrame, type WaitingEvent } from './event-view.ts';
import { findWaitingEventNumbers, readWaitingEvents } from './waiting-queries.ts';

/** The dependencies that all connections of a process share. */
export interface ConnectionDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** Limits how many connections query the database concurrently. */
  readonly semaphore: Semaphore;
  /** Limits how many connections query their first events concurrently; their queries are batched. */
  readonly firstReads: Semaphore;
  /** Called for each event that was sent, with the earliest time at which the client could have received it. */
  delivered(event: WaitingEvent, readyMs: number): void;
  /** Notifies the agent's other connections of settled events. */
  settled(from: EventConnection, numbers: readonly number[]): void;
  failed(error: unknown): void;
}

/** A client with more unread bytes receives no events, and is disconnected after this many checks, one per second. */
const [unreadBytesMax, behindInspectionsMax] = [256 * 1024, 30];

/** The number of missed pings after which a peer is disconnected (§7.34). */
const missedPingsMax = 2;

const frameLimit: RateLimit = { name: 'event-frames', max: limits.eventFramesPerMinute, windowMs: minute };

const noFrames: RateWindow = { count: 0, endsAtMs: 0 };

interface PendingAck {
  readonly eventId: string;
  /** The number of the event to settle; undefined if it is already settled. */
  readonly number: number | undefined;
}

/**
 * One connection to the event stream: sends waiting events while the ack window has room, receives acks, and enforces
 * the limits of §7.20 and §7.33. It is a class, so that thousands of connections share its methods.
 */
export class EventConnection {
  readonly id: string;
  readonly bearer: { readonly agentId: string; readonly tokenHash: string };
  readonly #socket: WebSocket;
  readonly #parts: ConnectionDependencies;
  readonly #window = new AckWindow(limits.eventsInFlightMax);
  #frames: RateWindow = noFrames;
  #acks: PendingAck[] = [];
  #isSettling = false;
  /** Also true before `start`, so that a new event only sets `#hasMore`. */
  #isReading = true;
  /** True if some waiting events may not have been read yet. */
  #hasMore = false;
  /** True if events in flight may have been settled or dropped on another connection. */
  #mayBeStale = false;
  /** True if the backlog has been sent, so that a new event can be sent without a query. */
  #isLive = false;
  /** The last event number read from a long backlog; 0 means that reading starts from the beginning. */
  #after = 0;
  #behindInspections = 0;
  #missedPings = 0;
  /** The time from which the client could receive a new event, because it had read or acknowledged earlier ones. */
  #readyMs: number;
  /** The time when the token expires; set by the first status check. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** The numbers of sent events and of committed acks, for the log. */
  delivered = 0;
  acknowledged = 0;

  constructor(id: string, bearer: EventConnection['bearer'], socket: WebSocket, parts: ConnectionDependencies) {
    this.id = id;
    this.bearer = bearer;
    this.#socket = socket;
    this.#parts = parts;
    this.#readyMs = parts.clock().getTime();
  }

  /** True if events are waiting or in flight. In that case, a lost wake-up could delay other events. */
  get isBusy(): boolean {
    return this.#hasMore || !this.#window.isEmpty;
  }

  /** Starts the delivery; queries only if events are waiting or have arrived since the connection was registered. */
  start(hasEvents: boolean): void {
    this.#isReading = false;
    if (hasEvents || this.#hasMore) void this.#readMore();
    else this.#isLive = true;
  }

  async wake(): Promise<void> {
    this.#mayBeStale = true;
    await this.#readMore();
  }

  /** The stream calls this after other connections have settled events. */
  wakeIfFull(): void {
    if (this.#window.capacity === 0) void this.wake();
  }

  /** Sends a new event. Does not query the database if all earlier events were sent. */
  offer(event: WaitingEvent): void {
    if (!this.#isLive || this.#isReading || this.#window.capacity === 0 || this.#isBehind()) void this.#readMore();
    else this.#send(event);
  }

  /** Removes from the window the events that another connection of the agent has settled. */
  forget(numbers: ReadonlySet<number>): void {
    if (this.#window.capacity === 0) this.#readyMs = this.#parts.clock().getTime();
    this.#window.forget((number) => numbers.has(number));
    void this.#deliver();
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen()) return;
    const eventId = isBinary ? undefined : parseAckFrame(data.toString());
    if (eventId === undefined) {
      this.close(4400, 'Send only {"type":"ack","event_id":"<uuid>"}.');
      return;
    }
    const { kind, number } = this.#window.acknowledge(eventId);
    // The first ack of each event is not counted, so that a long backlog can drain at full speed (§7.33).
    if ((kind === 'repeat' || kind === 'foreign') && !this.#countFrame()) return;
    if (kind === 'foreign') {
      this.close(4400, 'This event was not received on this connection.');
      return;
    }
    this.#acks.push({ eventId, number });
    void this.#settle();
  }

  /** Counts a ping or an unsolicited pong towards the frame limit. */
  receiveControl(): void {
    if (this.#isOpen()) this.#countFrame();
  }

  receivePong(): void {
    if (this.#missedPings === 0) this.receiveControl();
    this.#missedPings = 0;
  }

  ping(): void {
    this.#missedPings += 1;
    if (this.#missedPings > missedPingsMax) this.#socket.terminate();
    else if (this.#isOpen()) this.#socket.ping();
  }

  /** The stream calls this on every tick. */
  inspect(nowMs: number): void {
    this.#behindInspections = this.#isBehind() ? this.#behindInspections + 1 : 0;
    if (!this.closeIfExpired(nowMs) && this.#behindInspections > behindInspectionsMax)
      this.close(1013, 'The client does not read its events.');
  }

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

  // Runs one query at a time; a wake-up during a query triggers another one.
  async #deliver(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#mayRead()) {
        const { semaphore, firstReads } = this.#parts;
        await (this.#after === 0 && this.#window.isEmpty ? firstReads : semaphore)(() => this.#readWaitingEvents());
      }
    } catch (error) {
      this.#hasMore = true;
      this.#isLive = false;
      this.#parts.failed(error);
      // During a database outage the connection stays open and waits; any other error is a defect.
      if (!(error instanceof StoreUnavailableError)) this.close(1013, 'Internal server error. Reconnect later.');
    } finally {
      this.#isReading = false;
    }
  }

  #mayRead(): boolean {
    const hasCapacity = this.#window.capacity > 0 || this.#mayBeStale;
    return this.#hasMore && hasCapacity && this.#isOpen() && !this.#isBehind();
  }

  async #readWaitingEvents(): Promise<void> {
    if (this.#window.capacity === 0) await this.#dropStale();
    const { capacity: limit } = this.#window;
    if (limit === 0 || !this.#isOpen()) return;
    const after = this.#after;
    this.#hasMore = false;
    const range = { agentId: this.bearer.agentId, after, except: this.#window.numbers(), limit };
    const { events, isEnd } = await readWaitingEvents(this.#parts.store, { ...range, now: this.#parts.clock() });
    if (!this.#isOpen()) return;
    for (const event of events) this.#send(event);
    // After a full batch, reading continues after the last number, so that settled events are not read again. After the
    // last batch the backlog is read once more from the start, to find numbers that were committed late.
    this.#after = isEnd ? 0 : (events.at(-1)?.number ?? 0);
    if (!isEnd || after !== 0) this.#hasMore = true;
    this.#isLive = !this.#hasMore;
  }

  async #dropStale(): Promise<void> {
    this.#mayBeStale = false;
    const numbers = new Set(this.#window.numbers());
    const waiting = await findWaitingEventNumbers(this.#parts.store, this.bearer.agentId, [...numbers]);
    this.#readyMs = this.#parts.clock().getTime();
    this.#window.forget((number) => numbers.has(number) && !waiting.has(number));
  }

  #send(event: WaitingEvent): void {
    if (!this.#window.deliver(event.event_id, event.number)) return;
    this.delivered += 1;
    this.#parts.delivered(event, this.#readyMs);
    this.#socket.send(formatEventFrame(event), (error) => {
      // Continues the delivery once this frame has left the send buffer.
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
      // It is unknown which acks were committed; the unsettled events are sent again on the next connection.
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
    if (this.#isOpen()) for (const { eventId } of acks) this.#socket.send(formatAckedFrame(eventId));
    void this.#deliver();
  }

  #countFrame(): boolean {
    const nowMs = this.#parts.clock().getTime();
    this.#frames = addToWindow(this.#frames, 1, frameLimit, nowMs);
    if (judgeRequest(this.#frames, frameLimit, nowMs).allowed) return true;
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
