import { findTokenStatuses } from '../identity/tokens/token-queries.ts';
import { type Clock, computeDeletionCutoff, type RemovalTime, second } from '../platform/clock.ts';
import { logLevelOf } from '../platform/error-facts.ts';
import type { Telemetry } from '../platform/instruments.ts';
import type { Logger } from '../platform/logger.ts';
import { makeSemaphore, type Semaphore } from '../platform/semaphore.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import type { WakeUpHandler, WakeUps } from '../wake-ups/wake-ups.ts';
import type { ConnectionDependencies, EventConnection } from './connection-commands.ts';
import { type AnnouncedEvent, dropExpiredEvents } from './event-commands.ts';
import { socketCloseTimeoutMs } from './event-socket.ts';
import type { WaitingEvent } from './event-view.ts';
import type { ConnectionSlots } from './slots/slot-commands.ts';
import { findAgentsWithEvents, readConnectionState } from './waiting-queries.ts';

export interface StreamDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly removalTime: RemovalTime;
  readonly log: Logger;
  readonly slots: ConnectionSlots;
  /** Called for each connected agent in every poll. */
  readonly noteSeen: (agentId: string) => void;
  readonly openWakeUps: (onWakeUp: WakeUpHandler) => WakeUps;
  /** The length of a tick: one second by default, shorter in tests of timeouts. */
  readonly tickMs: number | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** The maximum number of concurrent queries: less than half of the default database pool. */
const queriesMax = 4;
/** The maximum number of connections that query their first events concurrently: as many as one query serves. */
const firstReadsMax = 64;

/** The intervals of pings, of polls for events without a wake-up, and of the removal of expired events, in ticks. */
const pingTicks = 30;
const pollTicks = 3;
const sweepTicks = 60;

const tokensPerQuery = 500;
const expiredPerSweep = 1_000;

export class EventStream implements ConnectionDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly semaphore = makeSemaphore(queriesMax);
  readonly firstReads = makeSemaphore(firstReadsMax);
  readonly telemetry: Telemetry | undefined;
  readonly #removalTime: RemovalTime;
  readonly #log: Logger;
  readonly #slots: ConnectionSlots;
  readonly #wakeUps: WakeUps;
  readonly #noteSeen: (agentId: string) => void;
  /** Maps each connection to the tick at which it started. */
  readonly #connections = new Map<EventConnection, number>();
  readonly #byAgent = new Map<string, EventConnection[]>();
  readonly #ticking: NodeJS.Timeout;
  #tick = 0;
  #polling: Promise<void> | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #onEmpty: (() => void) | undefined;

  constructor({ store, clock, removalTime, log, slots, noteSeen, openWakeUps, tickMs, telemetry }: StreamDependencies) {
    this.store = store;
    this.clock = clock;
    this.#removalTime = removalTime;
    this.#log = log;
    this.#slots = slots;
    this.#noteSeen = noteSeen;
    this.telemetry = telemetry;
    this.#wakeUps = openWakeUps((reason, agentIds) => this.#wake(reason, agentIds));
    this.#ticking = setInterval(() => this.#onTick(), tickMs ?? second).unref();
  }

  /** Delivers a committed event to its receiver: immediately in this process, through a wake-up in others. */
  announce(event: AnnouncedEvent): void {
    for (const connection of this.#connectionsOf(event.receiverId)) connection.offer(event);
    this.#wakeUps.notifyOthers('mail', [event.receiverId]);
  }

  /** Call this when a token has ended or an agent was suspended. */
  accessChanged(agentIds: readonly string[]): void {
    this.#wake('access', agentIds);
    this.#wakeUps.notifyOthers('access', agentIds);
  }

  /** Call this when the test clock is advanced. */
  clockMoved(): void {
    const nowMs = this.clock().getTime();
    for (const connection of this.#connections.keys()) connection.closeIfExpired(nowMs);
  }

  load(): { readonly eventConnections: number; readonly connectedAgents: readonly string[] } {
    return { eventConnections: this.#connections.size, connectedAgents: [...this.#byAgent.keys()] };
  }

  async join(connection: EventConnection): Promise<void> {
    this.#connections.set(connection, this.#tick);
    const { agentId } = connection.bearer;
    this.#byAgent.set(agentId, [...this.#connectionsOf(agentId), connection]);
    // Checks the token again, because it may have ended before this connection was registered.
    const arrival = await readConnectionState(this.store, this.clock, connection.bearer.tokenHash);
    if (applyStatus(connection, arrival)) connection.start(arrival.hasEvents);
  }

  leave(connection: EventConnection): void {
    if (!this.#connections.delete(connection)) return;
    const { agentId } = connection.bearer;
    const others = this.#connectionsOf(agentId).filter((other) => other !== connection);
    if (others.length === 0) this.#byAgent.delete(agentId);
    else this.#byAgent.set(agentId, others);
    if (this.#connections.size === 0) this.#onEmpty?.();
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    for (const connection of this.#connections.keys())
      connection.close(1013, 'The server is shutting down. Reconnect later.');
    if (this.#connections.size > 0) await this.#emptied();
    await this.#wakeUps.close();
    // Running queries must end before the database is closed.
    await this.#polling;
    const allOf = (semaphore: Semaphore, permits: number) =>
      Promise.all(Array.from({ length: permits }, () => semaphore(async () => undefined)));
    await Promise.all([allOf(this.semaphore, queriesMax), allOf(this.firstReads, firstReadsMax)]);
    await this.#slots.close();
  }

  async #emptied(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const force = setTimeout(() => {
      for (const connection of this.#connections.keys()) connection.terminate();
    }, socketCloseTimeoutMs);
    await promise;
    clearTimeout(force);
  }

  #connectionsOf(agentId: string): readonly EventConnection[] {
    return this.#byAgent.get(agentId) ?? [];
  }

  delivered({ createdAtMs, kind }: WaitingEvent, readyMs: number): void {
    if (this.telemetry === undefined) return;
    const lagMs = Math.max(0, this.clock().getTime() - Math.max(createdAtMs, readyMs));
    this.telemetry.meters?.deliveries.record(lagMs / 1_000);
    this.telemetry.tracing?.note('event delivery', 'producer', lagMs, { 'agent_platform.event.kind': kind }, false);
  }

  settled(from: EventConnection, numbers: readonly number[]): void {
    const { agentId } = from.bearer;
    const settled = new Set(numbers);
    for (const other of this.#connectionsOf(agentId)) if (other !== from) other.forget(settled);
    this.#wakeUps.notifyOthers('settled', [agentId]);
  }

  #wake(...[reason, agentIds]: Parameters<WakeUpHandler>): void {
    if (agentIds === 'all') {
      this.#startPoll();
      return;
    }
    const woken = agentIds.flatMap((agentId) => this.#connectionsOf(agentId));
    if (reason === 'mail') for (const connection of woken) void connection.wake();
    else if (reason === 'settled') for (const connection of woken) connection.wakeIfFull();
    else this.#checkAccess(woken).catch((error) => this.failed(error));
  }

  async #checkAccess(connections: readonly EventConnection[]): Promise<void> {
    for (let at = 0; at < connections.length; at += tokensPerQuery) {
      const part = connections.slice(at, at + tokensPerQuery);
      const hashes = part.map(({ bearer }) => bearer.tokenHash);
      const statuses = await this.semaphore(() => findTokenStatuses(this.store, this.clock, hashes));
      for (const connection of part) applyStatus(connection, statuses.get(connection.bearer.tokenHash));
    }
  }

  #onTick(): void {
    this.#tick += 1;
    const nowMs = this.clock().getTime();
    for (const [connection, joinedAt] of this.#connections) {
      connection.inspect(nowMs);
      if ((this.#tick - joinedAt) % pingTicks === 0) connection.ping();
    }
    if (this.#tick % pollTicks === 0) this.#startPoll();
    if (this.#tick % sweepTicks !== 0 || this.#connections.size === 0) return;
    const removalTime = this.#removalTime();
    if (removalTime === undefined) return;
    this.semaphore(() =>
      this.store.transact((writer) => dropExpiredEvents(writer, computeDeletionCutoff(removalTime), expiredPerSweep)),
    ).catch((error) => this.failed(error));
  }

  // Skips a poll while one is running, because the next one follows within seconds.
  #startPoll(): void {
    this.#polling ??= this.#poll()
      .catch((error) => this.failed(error))
      .finally(() => {
        this.#polling = undefined;
      });
  }

  // Finds events whose wake-up was lost, with two queries for all connections.
  async #poll(): Promise<void> {
    if (this.#connections.size === 0) return;
    await this.#checkAccess([...this.#connections.keys()]);
    const agentIds = [...this.#byAgent.keys()];
    for (const agentId of agentIds) this.#noteSeen(agentId);
    const withEvents = await this.semaphore(() => findAgentsWithEvents(this.store, agentIds, this.clock()));
    for (const connection of this.#connections.keys())
      if (connection.isBusy || withEvents.has(connection.bearer.agentId)) void connection.wake();
  }

  failed(error: unknown): void {
    if (!(error instanceof StoreUnavailableError))
      this.#log.error({ err: error }, 'internal error in the event stream');
    // An unavailable database is logged at most every 10 s, not once per connection.
    else if (performance.now() - this.#failedAtMs > 10 * second) {
      this.#failedAtMs = performance.now();
      this.#log[logLevelOf(error)]({ cause: error.message }, 'event delivery waits for the database');
    }
  }
}

interface TokenStatus {
  readonly expiresAtMs: number;
  readonly isSuspended: boolean;
}

/** Closes a connection whose token has ended or whose agent is suspended; returns whether it stays open. */
function applyStatus<Status extends TokenStatus>(
  connection: EventConnection,
  status: Status | undefined,
): status is Status {
  if (status === undefined) connection.close(4401, 'The token has expired or was revoked.');
  else if (status.isSuspended) connection.close(4403, 'The agent is suspended.');
  else connection.expiresAtMs = status.expiresAtMs;
  return status?.isSuspended === false;
}
