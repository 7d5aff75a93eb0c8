import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';
import type { Settings } from '../options.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { InboxStore, Lease } from '../state/client-state.ts';
import { callHook } from '../transport/hooks.ts';
import { isKnownKind } from './event-frame.ts';
import { decideHandlerRetry } from './handler-retry.ts';
import type { Wakeup } from './wakeup.ts';

/** How events are handed out. */
export interface DispatchOptions {
  /** How long a handler may be silent, or dead, before its event goes to another one. */
  readonly leaseMs: number;
  /** Attempts before an event is put aside. */
  readonly attemptsMax: number;
}

/** What handing out works with. */
export interface DispatcherParts {
  readonly settings: Settings;
  readonly state: CachedState;
  readonly wakeup: Wakeup;
}

// Another process may keep events in the same place, and says nothing.
const lookEveryMs = 1_000;

/** An event that is this process's to handle for now. The lease is prolonged until one of its ends is called. */
export interface Assignment {
  readonly event: PlatformEvent;
  readonly attempt: number;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** It was handled; false when the lease was lost meanwhile. */
  finish(): Promise<boolean>;
  /** It was not handled, through no fault of its own. */
  putBack(): Promise<void>;
  /** Its handler failed. */
  fail(error: unknown): Promise<void>;
}

/** Hands out the events of the inbox, each to one handler at a time. */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** The next event whose turn it is; waits for one until the signal aborts. */
  async next(rule: DispatchOptions, signal: AbortSignal): Promise<Assignment | undefined> {
    const { inbox } = await this.#parts.state.opened();
    while (!signal.aborted) {
      const handout = await this.#lease(inbox, rule);
      if (handout !== undefined) return handout;
      await this.#parts.wakeup.wait(lookEveryMs, signal);
    }
    return undefined;
  }

  /** The next event whose turn it is now, if any. */
  async take(rule: DispatchOptions): Promise<Assignment | undefined> {
    const { inbox } = await this.#parts.state.opened();
    return await this.#lease(inbox, rule);
  }

  async #lease(inbox: InboxStore, rule: DispatchOptions): Promise<Assignment | undefined> {
    for (;;) {
      const now = this.#parts.settings.now();
      const lease = await inbox.lease(now, now + rule.leaseMs);
      if (lease === undefined) return undefined;
      const { event, attempt, lease_id } = lease;
      if (!isKnownKind(event.kind)) {
        await inbox.park(event.event_id, lease_id, `This version does not know events of the kind ${event.kind}.`);
      } else if (attempt > rule.attemptsMax) {
        // Its handler never came to an end, and may have ended the process instead.
        await inbox.park(event.event_id, lease_id, `No handler succeeded in ${rule.attemptsMax} attempts.`);
      } else {
        return this.#handOut(inbox, lease, rule);
      }
    }
  }

  #handOut(
    inbox: InboxStore,
    { event, attempt, lease_id }: Lease,
    { leaseMs, attemptsMax }: DispatchOptions,
  ): Assignment {
    const { settings, wakeup } = this.#parts;
    const { event_id } = event;
    const lost = new AbortController();
    const loseIt = () => lost.abort(new Error(`The event ${event_id} was leased to another process.`));
    const timer = setInterval(() => {
      inbox.renew(event_id, lease_id, settings.now() + leaseMs).then((isOurs) => {
        if (!isOurs) loseIt();
      }, loseIt);
    }, leaseMs / 3);
    const ending = async <T>(work: () => Promise<T>): Promise<T> => {
      clearInterval(timer);
      const result = await work();
      // The next of its topic may have its turn now, and there is room for one more.
      wakeup.wake();
      return result;
    };
    return {
      // The kind is known, and its payload is what the server says it is.
      event: event as PlatformEvent,
      attempt,
      lost: lost.signal,
      finish: () => ending(() => inbox.finish(event_id, lease_id, settings.now())),
      putBack: () =>
        ending(async () => {
          const again = { dueMs: settings.now(), attempts: attempt - 1, reason: null };
          await inbox.postpone(event_id, lease_id, again);
        }),
      fail: (error) =>
        ending(async () => {
          const reason = (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
          const decision = decideHandlerRetry(attempt, attemptsMax, settings.random());
          const waitMs = decision.action === 'again' ? decision.waitMs : null;
          callHook(settings.hooks.onHandlerFailure, { eventId: event_id, kind: event.kind, attempt, error, waitMs });
          if (waitMs === null) await inbox.park(event_id, lease_id, reason);
          else await inbox.postpone(event_id, lease_id, { dueMs: settings.now() + waitMs, attempts: attempt, reason });
        }),
    };
  }
}
