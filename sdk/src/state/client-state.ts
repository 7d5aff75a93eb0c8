import type { Envelope } from '@agent-platform/contract';

/** Whose state it is. One place serves one agent on one server. */
export interface StateOwner {
  readonly origin: string;
  readonly bot_id: string;
}

/** A sealed message that was not yet surely taken by the server. It holds ciphertext, never the text. */
export interface OutboxEntry {
  /** What goes over the wire, byte for byte, however often. */
  readonly envelope: Envelope;
  /** ISO 8601. */
  readonly kept_at: string;
}

/** A command of an order that was not yet surely answered, as it goes over the wire, however often. */
export interface PendingOperation {
  /** A UUID in lower case. */
  readonly operation_id: string;
  /** What is called, as the contract names it: `createOrder`, `acceptOrder`, … */
  readonly operation: string;
  /** Null for a creation. */
  readonly order_id: string | null;
  /** The whole body; written as JSON anew it is the same bytes. */
  readonly body: { readonly [member: string]: unknown };
  /** ISO 8601. */
  readonly kept_at: string;
}

/** What is sent, from before its request until the answer is known. */
export interface PendingStore<Entry> {
  /**
   * Keeps an entry; resolves when it would survive a crash. `known` when one
   * with this id is there, which stays as it is; `full` when there is no room.
   */
  keep(entry: Entry): Promise<'kept' | 'known' | 'full'>;
  /** Everything that is kept, oldest first. */
  list(): Promise<readonly Entry[]>;
  /** Without effect when it is not there. */
  remove(id: string): Promise<void>;
}

/** Sealed messages, by their `client_message_id`. */
export type OutboxStore = PendingStore<OutboxEntry>;

/** Commands of orders, by their `operation_id`. */
export type OperationStore = PendingStore<PendingOperation>;

/** An event as it arrived. */
export interface StoredEvent {
  /** A UUID in lower case. */
  readonly event_id: string;
  readonly kind: string;
  readonly payload: unknown;
}

/**
 * Where an event stands: `waiting` for its turn, `leased` to a handler,
 * `failed` (put aside until somebody looks), `finished` (remembered, so that a
 * repeat is recognised).
 */
export type InboxStatus = 'waiting' | 'leased' | 'failed' | 'finished';

/** An event of the inbox with what became of it. */
export interface InboxItem {
  readonly event: StoredEvent;
  readonly status: InboxStatus;
  /** How often it was handed out. */
  readonly attempts: number;
  /** Why the last attempt failed, or null. */
  readonly reason: string | null;
}

/** The right to handle one event, for a time. */
export interface Lease {
  readonly lease_id: string;
  readonly event: StoredEvent;
  /** 1 for the first time that it is handed out. */
  readonly attempt: number;
}

/** Received events until they are handled, and a bounded memory of the handled ones. Times are milliseconds since 1970. */
export interface InboxStore {
  /**
   * Keeps an event; resolves when it would survive a crash. `known` when it was
   * kept before, finished or not. Events of one topic are leased in the order
   * in which they were kept.
   */
  keep(event: StoredEvent, topic: string, nowMs: number): Promise<'kept' | 'known' | 'full'>;
  /** Leases the oldest event whose turn it is; to one caller, whichever process asks. */
  lease(nowMs: number, untilMs: number): Promise<Lease | undefined>;
  /** Prolongs a lease; false when it was lost. */
  renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean>;
  /** Marks an event as handled; false when the lease was lost. Without a lease id, whoever holds it. */
  finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean>;
  /** Gives a leased event back, to be leased again from `dueMs` on; false when the lease was lost. */
  postpone(eventId: string, leaseId: string, again: Postponement): Promise<boolean>;
  /** Puts a leased event aside as failed; false when the lease was lost. */
  park(eventId: string, leaseId: string, reason: string): Promise<boolean>;
  /** Lets a failed or finished event wait again, as the newest of its topic; false when there is none such. */
  release(eventId: string, nowMs: number): Promise<boolean>;
  /** Everything of one status, oldest first. */
  list(status: InboxStatus): Promise<readonly InboxItem[]>;
  /** Looks at what is remembered now; those that are not among `known` have arrived since. */
  snapshot(known?: ReadonlySet<string>): Promise<InboxSnapshot>;
}

/** What an inbox remembers at one moment, whichever process kept it. */
export interface InboxSnapshot {
  /** The ids of all events, finished ones included. */
  readonly ids: ReadonlySet<string>;
  /** The events that the one who looks did not know, in the order in which they were kept; none where it named none. */
  readonly arrived: readonly StoredEvent[];
}

/** How a postponed event comes again. */
export interface Postponement {
  readonly dueMs: number;
  /** The attempts that count from now on. */
  readonly attempts: number;
  readonly reason: string | null;
}

/** The key of another agent, as it was first used or later trusted. */
export interface Pin {
  readonly bot_id: string;
  /** Null where only the id was known. */
  readonly handle: string | null;
  readonly public_key: string;
  /** ISO 8601. */
  readonly pinned_at: string;
}

/** The keys of other agents that are trusted. */
export interface PinStore {
  get(botId: string): Promise<Pin | undefined>;
  /** Pins unless there is a pin already; gives the one that holds. */
  keep(pin: Pin): Promise<Pin>;
  /** Pins whatever was pinned before. */
  replace(pin: Pin): Promise<void>;
  list(): Promise<readonly Pin[]>;
}

/** The parts of an opened state. */
export interface OpenedState {
  readonly outbox: OutboxStore;
  readonly operations: OperationStore;
  readonly inbox: InboxStore;
  readonly pins: PinStore;
}

/** Where a client keeps what must survive its end. */
export interface ClientState {
  /**
   * Opens the state for an agent, and makes it where there is none.
   *
   * @throws StateError `state_of_other_agent`, `state_newer`, `state_unusable`
   */
  open(owner: StateOwner): Promise<OpenedState>;
  /** Gives back what is held open; a later `open` opens it again. */
  close(): Promise<void>;
}

/** How much a state keeps. */
export interface StateLimits {
  /** Sealed messages without an answer, and as many commands of orders. Default 1,000. */
  readonly outboxMax?: number | undefined;
  /** Events that are not finished, failed ones included; then no more are taken from the server. Default 1,000. */
  readonly unfinishedMax?: number | undefined;
  /** Finished events that are remembered. Default 1,000. */
  readonly finishedMax?: number | undefined;
}

/** The limits, complete. */
export type FullStateLimits = { readonly [Name in keyof StateLimits]-?: number };

/** The version of what is written; a state of a later one is left alone. */
export const stateFormat = 1;
