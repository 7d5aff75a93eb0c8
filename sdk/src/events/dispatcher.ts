import { eventKinds } from '@agent-platform/contract/client';
import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import { decideHandlerRetry, handlerBackoffMs, isEnvelopeFailure } from '../handler-failures/handler-retry.ts';
import { isOutage } from '../handler-failures/outage.ts';
import { yieldToEventLoop } from '../host.ts';
import { requireInteger } from '../integer-option.ts';
import { checkOneOf } from '../known-options.ts';
import type { InboxStore, Lease } from '../state/client-state.ts';
import type { EventHandlerFailure } from '../transport/hooks.ts';
import { isKnownEventKind } from './event-frame.ts';
import type { ListenOptions } from './options.ts';
import type { ReceiverDependencies } from './receiver.ts';

export interface LeaseOptions {
  /** How long an event stays leased after its process has died. */
  readonly leaseMs: number;
  /** The number of attempts before an event is parked. */
  readonly attemptsMax: number;
  /** The event kinds to lease; undefined for all. */
  readonly kinds: readonly string[] | undefined;
}

export function resolveLeaseOptions({ leaseMs = 15_000, attemptsMax = 8, kinds }: ListenOptions): LeaseOptions {
  for (const kind of kinds ?? []) checkOneOf('A kind in kinds', kind, eventKinds);
  return {
    leaseMs: requireInteger('leaseMs', leaseMs, 1_000, 3_600_000),
    attemptsMax: requireInteger('attemptsMax', attemptsMax, 1, 1_000),
    kinds,
  };
}

type DispatcherDependencies = Pick<ReceiverDependencies, 'settings' | 'state' | 'wakeup'>;

// The inbox is polled, because another process may store events in the same state without notifying this one.
const pollEveryMs = 1_000;
// The stored `reason` of an event that waits for the end of an outage starts with this text.
const outageReason = 'The server is not available: ';
// Above this number of entries, the oldest one is dropped, and its event may be reported again.
const outagesMax = 1_000;

/** An event that is leased to this process. The lease is renewed until one of the methods is called. */
export interface ActiveLease {
  readonly event: PlatformEvent;
  readonly attempt: number;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** Marks the event as handled; returns false if the lease was lost. */
  finish(): Promise<boolean>;
  /** Releases the event without counting the attempt. */
  putBack(): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** Leases events from the inbox, each to one handler at a time. */
export class EventDispatcher {
  readonly #parts: DispatcherDependencies;
  readonly #failures: HandlerFailureReporter;
  /** The number of failed attempts of each event during an outage. */
  readonly #outages = new Map<string, number>();

  constructor(parts: DispatcherDependencies) {
    this.#parts = parts;
    this.#failures = new HandlerFailureReporter(parts.settings.hooks);
  }

  /** Waits for the next due event; returns undefined after an abort. No event is leased until `ready` resolves. */
  async next(options: LeaseOptions, signal: AbortSignal, ready: () => Promise<void>): Promise<ActiveLease | undefined> {
    const { inbox } = await this.#parts.state.opened();
    for (;;) {
      // The calls to SQLite block this thread; between them, it must be able to receive events.
      await yieldToEventLoop();
      await ready();
      if (signal.aborted) return undefined;
      const assignment = await this.#lease(inbox, options);
      if (assignment !== undefined) return assignment;
      await this.#parts.wakeup.wait(pollEveryMs, signal);
    }
  }

  /** Makes all events that failed because of an outage due now, even those of other processes and earlier runs. */
  async endOutages(): Promise<void> {
    const { inbox } = await this.#parts.state.opened();
    const waiting = (await inbox.list('waiting')).filter(({ reason }) => reason?.startsWith(outageReason));
    if (waiting.length === 0) return;
    const ids = waiting.map(({ event }) => event.event_id);
    await inbox.hasten(ids, this.#parts.settings.now());
    this.#parts.wakeup.wake();
  }

  /** Leases the next due event, if any, without waiting. */
  async take(options: LeaseOptions): Promise<ActiveLease | undefined> {
    const { inbox } = await this.#parts.state.opened();
    return await this.#lease(inbox, options);
  }

  /** Parks a leased event, and drops parked events above the limit; returns false if the lease was lost. */
  async park(inbox: InboxStore, { event, lease_id }: Lease, reason: string): Promise<boolean> {
    const isParked = await inbox.park(event.event_id, lease_id, reason);
    this.#failures.reportDropped(await inbox.dropFailed(this.#parts.settings.now()));
    return isParked;
  }

  async #lease(inbox: InboxStore, options: LeaseOptions): Promise<ActiveLease | undefined> {
    for (;;) {
      const now = this.#parts.settings.now();
      const lease = await inbox.lease(now, now + options.leaseMs, options.kinds);
      if (lease === undefined) return undefined;
      const { event, attempt } = lease;
      if (!isKnownEventKind(event.kind)) {
        await this.#parkUnhandled(inbox, lease, `This version does not know events of the kind ${event.kind}.`);
      } else if (attempt > options.attemptsMax) {
        // The handler of the last attempt never ended, and may have crashed the process.
        const reason = `Attempt ${attempt - 1}, the last one, was interrupted.`;
        await this.#parkUnhandled(inbox, { ...lease, attempt: attempt - 1 }, reason);
      } else {
        return this.#assign(inbox, lease, options);
      }
    }
  }

  async #parkUnhandled(inbox: InboxStore, lease: Lease, reason: string): Promise<void> {
    this.#failures.reportParked(lease.event, lease.attempt, reason);
    await this.park(inbox, lease, reason);
  }

  #assign(inbox: InboxStore, lease: Lease, { leaseMs, attemptsMax }: LeaseOptions): ActiveLease {
    const { settings, wakeup } = this.#parts;
    const { event, attempt, lease_id } = lease;
    const { event_id } = event;
    const lost = new AbortController();
    const abandon = () => lost.abort(new Error(`The event ${event_id} was leased to another process.`));
    const timer = setInterval(() => {
      inbox.renew(event_id, lease_id, settings.now() + leaseMs).then((isOurs) => {
        if (!isOurs) abandon();
      }, abandon);
    }, leaseMs / 3);
    const endWith = async <T>(work: () => Promise<T>): Promise<T> => {
      clearInterval(timer);
      const result = await work();
      // Wakes the waiting loops, because the next event of the topic may be due now.
      wakeup.wake();
      return result;
    };
    return {
      // The cast is safe, because the payload of a known kind has the type in the contract.
      event: event as PlatformEvent,
      attempt,
      lost: lost.signal,
      finish: () =>
        endWith(() => {
          this.#outages.delete(event_id);
          return inbox.finish(event_id, lease_id, settings.now());
        }),
      putBack: () =>
        endWith(async () => {
          const again = { dueMs: settings.now(), attempts: attempt - 1, reason: null };
          await inbox.postpone(event_id, lease_id, again);
        }),
      fail: (error) =>
        endWith(() =>
          isOutage(error) ? this.#waitOut(inbox, lease, error) : this.#retryOrPark(inbox, lease, error, attemptsMax),
        ),
    };
  }

  async #retryOrPark(inbox: InboxStore, lease: Lease, error: unknown, attemptsMax: number): Promise<void> {
    const { event, attempt, lease_id } = lease;
    const { settings } = this.#parts;
    this.#outages.delete(event.event_id);
    const reason = reasonOf(error);
    const isFinal = event.kind === 'message.created' && isEnvelopeFailure(error);
    const decision = decideHandlerRetry(attempt, isFinal ? attempt : attemptsMax, settings.random());
    const waitMs = decision.action === 'again' ? decision.waitMs : null;
    this.#report(lease, error, { waitMs, isOutage: false });
    if (waitMs === null) await this.park(inbox, lease, reason);
    else {
      await inbox.postpone(event.event_id, lease_id, { dueMs: settings.now() + waitMs, attempts: attempt, reason });
    }
  }

  /** Failed attempts during an outage do not count, and only the first one is reported. */
  async #waitOut(inbox: InboxStore, lease: Lease, error: unknown): Promise<void> {
    const { event, attempt, lease_id } = lease;
    const { settings } = this.#parts;
    const outages = this.#outages.get(event.event_id) ?? 0;
    const waitMs = handlerBackoffMs(outages + 1, settings.random());
    if (outages === 0) this.#report(lease, error, { waitMs, isOutage: true });
    this.#rememberOutage(event.event_id, outages + 1);
    const reason = outageReason + reasonOf(error);
    await inbox.postpone(event.event_id, lease_id, { dueMs: settings.now() + waitMs, attempts: attempt - 1, reason });
  }

  #rememberOutage(eventId: string, outages: number): void {
    this.#outages.set(eventId, outages);
    const [oldest] = this.#outages.keys();
    if (this.#outages.size > outagesMax && oldest !== undefined) this.#outages.delete(oldest);
  }

  #report({ event, attempt }: Lease, error: unknown, outcome: Pick<EventHandlerFailure, 'waitMs' | 'isOutage'>): void {
    const { event_id: eventId, kind } = event;
    this.#failures.report({ source: 'event', eventId, kind, attempt, error, ...outcome, isFinal: false });
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
}
