import { findTokenStatuses } from '../identity/tokens/token-queries.ts';
import { type Clock, second } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { makeSemaphore } from '../platform/semaphore.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import type { OnWakeUp, WakeUps } from '../wake-ups/wake-ups.ts';
import type { ConnectionParts, EventConnection } from './connection-commands.ts';
import { type AnnouncedEvent, dropExpiredEvents } from './event-commands.ts';
import { closeWithinMs } from './event-socket.ts';
import type { Places } from './place-commands.ts';
import { findAgentsWithMail } from './waiting-queries.ts';

/** What the event stream of a process works with. */
export interface StreamParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly places: Places;
  /** Opens the wake-ups between processes. */
  readonly openWakeUps: (hear: OnWakeUp) => WakeUps;
  /** How long a beat of the stream is; a second, but in tests of what takes a minute. */
  readonly beatMs?: number;
}

/** The event stream of one process: its connections, and everything that wakes or ends them. */
export interface EventStream {
  readonly connectionParts: ConnectionParts;
  /** Brings committed events to their receivers, here at once and on other processes soon. */
  announce(events: readonly AnnouncedEvent[]): void;
  /** Looks at the access of these agents anew: a token has ended, or an agent is suspended. */
  accessChanged(agentIds: readonly string[]): void;
  /** Takes a connection in, and delivers as soon as its token has been looked at once more. */
  join(connection: EventConnection): Promise<void>;
  leave(connection: EventConnection): void;
  /** Closes every connection with 1013 and lets go of everything. */
  close(): Promise<void>;
}

/** So many connections ask the database at the same time: less than half of its pool. */
const turnstilePlaces = 4;

/** In beats: a ping to each connection; a look for what no wake-up has told of; the removal of expired events. */
const pingBeats = 30;
const lookBeats = 3;
const sweepBeats = 60;

const tokensPerQuery = 500;
const expiredPerSweep = 1_000;

/** Opens the event stream of this process. */
export function openEventStream(parts: StreamParts): EventStream {
  const { store, clock, log, places } = parts;
  const turnstile = makeSemaphore(turnstilePlaces);
  const connections = new Map<EventConnection, number>();
  const byAgent = new Map<string, EventConnection[]>();
  const wakeUps = parts.openWakeUps(hear);
  let beat = 0;
  let looking: Promise<void> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let whenEmpty: (() => void) | undefined;
  const beating = setInterval(keepBeat, parts.beatMs ?? second).unref();

  function connectionsOf(agentId: string): readonly EventConnection[] {
    return byAgent.get(agentId) ?? [];
  }

  function hear(reason: Parameters<OnWakeUp>[0], agentIds: readonly string[] | 'all'): void {
    if (agentIds === 'all') {
      startLooking();
      return;
    }
    const woken = agentIds.flatMap(connectionsOf);
    if (woken.length === 0) return;
    if (reason === 'access') checkAccess(woken).catch(report);
    else for (const connection of woken) wakeFor(reason, connection);
  }

  function wakeFor(reason: 'mail' | 'settled', connection: EventConnection): void {
    if (reason === 'mail') void connection.wake();
    else connection.wakeIfFull();
  }

  async function checkAccess(asked: readonly EventConnection[]): Promise<void> {
    for (let at = 0; at < asked.length; at += tokensPerQuery) {
      const some = asked.slice(at, at + tokensPerQuery);
      const hashes = some.map(({ bearer }) => bearer.tokenHash);
      const standings = await turnstile(() => findTokenStatuses(store, clock, hashes));
      for (const connection of some) {
        const standing = standings.get(connection.bearer.tokenHash);
        if (standing === undefined) connection.close(4401, 'The token has ended.');
        else if (standing.isSuspended) connection.close(4403, 'The agent is suspended.');
        else connection.expiresAtMs = standing.expiresAtMs;
      }
    }
  }

  function keepBeat(): void {
    beat += 1;
    const nowMs = clock().getTime();
    for (const [connection, joinedAt] of connections) {
      connection.inspect(nowMs);
      if ((beat - joinedAt) % pingBeats === 0) connection.ping();
    }
    if (beat % lookBeats === 0) startLooking();
    if (beat % sweepBeats === 0 && connections.size > 0) turnstile(sweep).catch(report);
  }

  async function sweep(): Promise<void> {
    await store.transact((writer) => dropExpiredEvents(writer, clock(), expiredPerSweep));
  }

  // One look at a time; the next one is never far.
  function startLooking(): void {
    looking ??= lookAround().finally(() => {
      looking = undefined;
    });
  }

  // Finds what no wake-up has told of: with two queries, however many are connected.
  async function lookAround(): Promise<void> {
    if (connections.size === 0) return;
    try {
      await checkAccess([...connections.keys()]);
      const withMail = await turnstile(() => findAgentsWithMail(store, [...byAgent.keys()]));
      for (const connection of connections.keys())
        if (connection.isBusy || withMail.has(connection.bearer.agentId)) void connection.wake();
    } catch (error) {
      report(error);
    }
  }

  function report(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) log.error({ err: error }, 'a defect of the event stream');
    // One line for a database that is away, not one for each connection.
    else if (performance.now() - failedAtMs > 10 * second) {
      failedAtMs = performance.now();
      log.warn({ cause: error.message }, 'events wait for the database');
    }
  }

  return {
    connectionParts: {
      store,
      clock,
      turnstile,
      settled: (from, numbers) => {
        const { agentId } = from.bearer;
        const gone = new Set(numbers);
        for (const other of connectionsOf(agentId)) if (other !== from) other.forget(gone);
        wakeUps.notifyOthers('settled', [agentId]);
      },
      failed: (_, error) => report(error),
    },
    announce: (events) => {
      for (const event of events) for (const connection of connectionsOf(event.receiverId)) connection.offer(event);
      wakeUps.notifyOthers('mail', [...new Set(events.map(({ receiverId }) => receiverId))]);
    },
    accessChanged: (agentIds) => {
      hear('access', agentIds);
      wakeUps.notifyOthers('access', agentIds);
    },
    join: async (connection) => {
      connections.set(connection, beat);
      const { agentId } = connection.bearer;
      byAgent.set(agentId, [...connectionsOf(agentId), connection]);
      // Since its token was looked up, it may have ended without anybody to tell.
      await checkAccess([connection]);
      void connection.wake();
    },
    leave: (connection) => {
      if (!connections.delete(connection)) return;
      const { agentId } = connection.bearer;
      const others = connectionsOf(agentId).filter((other) => other !== connection);
      if (others.length === 0) byAgent.delete(agentId);
      else byAgent.set(agentId, others);
      if (connections.size === 0) whenEmpty?.();
    },
    close: async () => {
      clearInterval(beating);
      for (const connection of connections.keys()) connection.close(1013, 'The server stops. Come back later.');
      if (connections.size > 0) await emptied();
      await wakeUps.close();
      // What is under way ends before the database is closed.
      await looking;
      await Promise.all(Array.from({ length: turnstilePlaces }, () => turnstile(async () => undefined)));
      await places.close();
    },
  };

  async function emptied(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    whenEmpty = resolve;
    const force = setTimeout(() => {
      for (const connection of connections.keys()) connection.terminate();
    }, closeWithinMs);
    await promise;
    clearTimeout(force);
  }
}
