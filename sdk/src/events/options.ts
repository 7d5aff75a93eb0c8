import type { EventKind } from '@agent-platform/contract';
import { eventKinds } from '@agent-platform/contract/client';
import type { InboxEvent, PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { checkOneOf, type OptionKinds, optionKinds } from '../known-options.ts';
import { type InboxItem, type InboxStatus, inboxStatuses, type Lease } from '../state/client-state.ts';

/** Options of `receive`, which `listen` and `run` also accept. */
export interface ReceiveOptions {
  /** Aborting it ends the call without an error, after the running handlers have ended. */
  readonly signal?: AbortSignal | undefined;
}

/** How events are leased. */
export interface ListenOptions extends ReceiveOptions {
  /**
   * How long events stay leased after their process has died, in milliseconds: 1,000 to 3,600,000, default 15,000. A
   * live process renews its leases.
   */
  readonly leaseMs?: number | undefined;
  /** The number of attempts before an event is parked as failed: 1 to 1,000, default 8. */
  readonly attemptsMax?: number | undefined;
  /** Only lease events of these kinds; events of other kinds stay in the inbox for another program. Default: all. */
  readonly kinds?: readonly EventKind[] | undefined;
}

/** How handlers are run. */
export interface RunOptions extends ListenOptions {
  /**
   * The maximum number of events handled at the same time: 1 to 100, default 1. Events that wait for a rate limit do
   * not count. Events of one topic are handled one after another.
   */
  readonly concurrency?: number | undefined;
}

/** An event that is leased to a `for await` loop. */
export type LeasedEvent = PlatformEvent & {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborted when the event has been leased to another process. */
  readonly signal: AbortSignal;
  /** Finishes the event before the end of the loop body; returns false if the lease was lost. */
  done(): Promise<boolean>;
};

/** A lease that `events.next()` returns. */
export interface EventLease extends Omit<Lease, 'event'> {
  readonly event: InboxEvent;
}

/** An event in the inbox, with its status. */
export interface EventItem extends Omit<InboxItem, 'event'> {
  readonly event: InboxEvent;
}

/** Options for releasing a leased event. */
export interface PutBackOptions {
  /** The delay until the next attempt in milliseconds, 0 to 86,400,000. Default 0. */
  readonly delayMs?: number | undefined;
  readonly reason?: string | null | undefined;
}

export const receiveOptionKinds: OptionKinds<ReceiveOptions> = { signal: optionKinds.signal };

export const listenOptionKinds: OptionKinds<ListenOptions> = {
  ...receiveOptionKinds,
  leaseMs: optionKinds.number,
  attemptsMax: optionKinds.number,
  kinds: {
    form: `an array with at least one of ${eventKinds.join(', ')}`,
    accepts: (value) => Array.isArray(value) && value.length > 0,
  },
};

export const runOptionKinds: OptionKinds<RunOptions> = { ...listenOptionKinds, concurrency: optionKinds.number };

export function checkInboxStatus(status: InboxStatus): void {
  checkOneOf('The status of an event', status, inboxStatuses);
}

export const putBackOptionKinds: OptionKinds<PutBackOptions> = {
  delayMs: optionKinds.number,
  reason: optionKinds.textOrNull,
};
