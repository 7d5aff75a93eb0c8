import type { AddressedEnvelope } from '../records/message.ts';

/** The owner of a state. One state serves one agent on one server. */
export interface StateOwner {
  readonly origin: string;
  readonly bot_id: string;
}

/** A sealed message that the server may not have accepted yet. It holds ciphertext, never the text. */
export interface OutboxEntry {
  /** The request body; every repeat sends the same bytes. */
  readonly envelope: AddressedEnvelope;
  /** ISO 8601. */
  readonly kept_at: string;
}

/** An order command whose outcome is not known, exactly as it is sent, also when it is repeated. */
export interface PendingOperation {
  /** A UUID in lower case. */
  readonly operation_id: string;
  /** The operation id of the contract: `createOrder`, `acceptOrder`, … */
  readonly operation: string;
  /** Null for a creation. */
  readonly order_id: string | null;
  /** The complete body; serialized again it is the same bytes. */
  readonly body: { readonly [member: string]: unknown };
  /** ISO 8601. */
  readonly kept_at: string;
}

/** Stores requests from before they are sent until their outcome is known. */
export interface PendingStore<Entry> {
  /**
   * Stores an entry; resolves when it survives a crash. `known` when an entry
   * with this id exists, which stays unchanged; `full` when there is no room.
   */
  keep(entry: Entry): Promise<'kept' | 'known' | 'full'>;
  /** All entries, oldest first. */
  list(): Promise<readonly Entry[]>;
  /** Without effect when it is not there. */
  remove(id: string): Promise<void>;
}

/**
 * Sealed messages, by their `client_message_id`. What `keep` stores counts as
 * sent: the same transaction remembers its envelope in the `NonceStore`.
 */
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
 * The status of an event: `waiting` until it is due, `leased` to a handler,
 * `failed` (parked until it is replayed), `finished` (stored, so that a
 * repeat is recognised).
 */
export type InboxStatus = (typeof inboxStatuses)[number];

/** Every status of an event. */
export const inboxStatuses = ['waiting', 'leased', 'failed', 'finished'] as const;

/** An event of the inbox with its status. */
export interface InboxItem {
  readonly event: StoredEvent;
  readonly status: InboxStatus;
  /** The number of attempts. */
  readonly attempts: number;
  /** Why the last attempt failed, or null. */
  readonly reason: string | null;
}

/** The right to handle one event, for a time. */
export interface Lease {
  readonly lease_id: string;
  readonly event: StoredEvent;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An event with its place among the others. */
export interface ReceivedEvent {
  readonly event: StoredEvent;
  /** Events of one topic are leased in the order in which they were stored. */
  readonly topic: string;
  /** Shares take turns, and the largest one yields room: an agent, or all contact requests. */
  readonly share: string;
}

/**
 * Received events until they are handled, and a bounded number of parked and handled ones. No kind of event takes
 * places from another. Times are milliseconds since 1970.
 */
export interface InboxStore {
  /**
   * Stores events in order, up to the first one whose kind has no space left; resolves when they are durable. The
   * result says for each event whether it was new or already stored (`known`), finished or not.
   */
  keepAll(received: readonly ReceivedEvent[], nowMs: number): Promise<readonly ('kept' | 'known')[]>;
  /** Parks up to `count` waiting events of a kind, each time the newest one of the largest share, and returns them. */
  makeRoom(kind: string, count: number, reason: string): Promise<readonly InboxItem[]>;
  /**
   * Leases an event that is due, to one caller of all processes; shares take turns. With `kinds` it passes over the events
   * of other kinds, which keep waiting; of one topic and these kinds nothing overtakes.
   */
  lease(nowMs: number, untilMs: number, kinds?: readonly string[]): Promise<Lease | undefined>;
  /** Renews a lease; false when it was lost. */
  renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean>;
  /** Marks an event as handled; false when the lease was lost. Without a lease id, any lease counts. */
  finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean>;
  /** Releases a leased event, to be leased again from `dueMs` on; false when the lease was lost. */
  postpone(eventId: string, leaseId: string, again: Postponement): Promise<boolean>;
  /** Makes those of these events due that wait for a later time. */
  hasten(eventIds: readonly string[], nowMs: number): Promise<void>;
  /** Marks a leased event as failed; false when the lease was lost. */
  park(eventId: string, leaseId: string, reason: string): Promise<boolean>;
  /** Finishes the failed events beyond the limit, each time the oldest one of the largest share, and returns them. */
  dropFailed(nowMs: number): Promise<readonly InboxItem[]>;
  /** Makes a failed or finished event wait again, as the newest of its topic; false when there is none. */
  release(eventId: string, nowMs: number): Promise<boolean>;
  /** All events of one status, oldest first. */
  list(status: InboxStatus): Promise<readonly InboxItem[]>;
  /** The stored events; those that are not in `known` have arrived since. */
  snapshot(known?: ReadonlySet<string>): Promise<InboxSnapshot>;
}

/** The events of an inbox at one moment, stored by any process. */
export interface InboxSnapshot {
  /** The ids of all events, finished ones included. */
  readonly ids: ReadonlySet<string>;
  /** The events that are not in `known`, in the order in which they were stored; empty without `known`. */
  readonly arrived: readonly StoredEvent[];
}

/** When and how a postponed event is retried. */
export interface Postponement {
  readonly dueMs: number;
  /** The attempts so far. */
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

/** The keys of other agents that are trusted. A key that was ever pinned for an agent is none of another one. */
export interface PinStore {
  get(botId: string): Promise<Pin | undefined>;
  /**
   * Pins, unless the agent has a pin already or another agent has one with this key; returns the pin that holds. Atomic
   * among all processes that share the state.
   */
  keep(pin: Pin): Promise<Pin>;
  /** Pins in place of an existing pin, unless another agent has one with this key; returns the pin that holds. */
  replace(pin: Pin): Promise<Pin>;
  list(): Promise<readonly Pin[]>;
}

/** An envelope that was sealed or opened, without its content. */
export interface RememberedEnvelope {
  /** The peer's public key: the secret belongs to it, whatever agent presents it. */
  readonly peer_key: string;
  /** Base64. Identifies the envelope among all with this peer, in both directions. */
  readonly nonce: string;
  readonly direction: 'sent' | 'received';
  /** Null from sealing until the message is first read from the server. */
  readonly message_id: string | null;
  /** Hexadecimal. */
  readonly ciphertext_sha256: string;
  /** When it was sealed here, or `created_at` of the message. Milliseconds since 1970. */
  readonly at_ms: number;
}

/** The latest envelopes of each peer: what the server presents again under another name is recognised. */
export interface NonceStore {
  /**
   * Remembers envelopes; resolves when they survive a crash. For each it returns
   * what is remembered under its nonce: the first envelope, whichever process
   * stored it. A sent one takes the message id with which it is first read.
   * Beyond the limit of a peer and direction the oldest by `at_ms` are forgotten,
   * at the latest when a hundredth more are stored.
   */
  remember(envelopes: readonly RememberedEnvelope[]): Promise<readonly RememberedEnvelope[]>;
}

/** The parts of an opened state. */
export interface OpenedState {
  readonly outbox: OutboxStore;
  readonly operations: OperationStore;
  readonly inbox: InboxStore;
  readonly pins: PinStore;
  readonly nonces: NonceStore;
}

/** Stores the data of a client that must survive its process. */
export interface ClientState {
  /**
   * Opens the state for an agent, and makes it where there is none.
   *
   * @throws StateError `state_of_other_agent`, `state_newer`, `state_unusable`
   */
  open(owner: StateOwner): Promise<OpenedState>;
  /** Releases open files; a later `open` opens them again. */
  close(): Promise<void>;
}

/** The limits of a state. */
export interface StateLimits {
  /** Pending sealed messages, and as many pending order commands. Default 1,000. */
  readonly outboxMax?: number | undefined;
  /** Events of each kind that wait or are leased, and as many failed ones. Default 1,000. */
  readonly unfinishedMax?: number | undefined;
  /** Finished events that stay stored. Default 1,000. */
  readonly finishedMax?: number | undefined;
  /** Nonces that are remembered of each peer, in each direction. Default 10,000. */
  readonly noncesMax?: number | undefined;
}
