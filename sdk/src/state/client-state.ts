import type { AddressedEnvelope } from '../records/message.ts';

/** The owner of a state. Each state is for one agent on one server. */
export interface StateOwner {
  readonly origin: string;
  readonly bot_id: string;
}

/** A sealed message that the server may not have accepted yet. It contains ciphertext, never the text. */
export interface OutboxEntry {
  /** The request body; it is identical in every retry. */
  readonly envelope: AddressedEnvelope;
  /** ISO 8601. */
  readonly kept_at: string;
}

/** An order command whose outcome is unknown. Every attempt sends exactly this content. */
export interface PendingOperation {
  /** A UUID in lower case. */
  readonly operation_id: string;
  /** The id of the operation in the contract: `createOrder`, `acceptOrder`, … */
  readonly operation: string;
  /** Null when creating an order. */
  readonly order_id: string | null;
  /** The complete body; serializing it again yields the same bytes. */
  readonly body: { readonly [member: string]: unknown };
  /** ISO 8601. */
  readonly kept_at: string;
}

/** Stores requests whose outcome may be unknown; each is added before it is sent. */
export interface PendingStore<Entry> {
  /**
   * Stores an entry; resolves when it survives a crash. Returns `known` if there is an entry with this id, which stays
   * unchanged, and `full` if there is no space.
   */
  keep(entry: Entry): Promise<'kept' | 'known' | 'full'>;
  /** All entries, oldest first. */
  list(): Promise<readonly Entry[]>;
  /** Removes an entry, if it exists. */
  remove(id: string): Promise<void>;
}

/**
 * Sealed messages, by their `client_message_id`. An entry stored by `keep` counts as sent: the same transaction
 * records its envelope in the `NonceStore`.
 */
export type OutboxStore = PendingStore<OutboxEntry>;

/** Order commands, by their `operation_id`. */
export type OperationStore = PendingStore<PendingOperation>;

/** An event as received. */
export interface StoredEvent {
  /** A UUID in lower case. */
  readonly event_id: string;
  readonly kind: string;
  readonly payload: unknown;
}

/**
 * The status of an event: `waiting` to be handled, `leased` to a handler, `failed` (parked until it is replayed), or
 * `finished` (still stored, so that a repeat is recognized).
 */
export type InboxStatus = (typeof inboxStatuses)[number];

/** Every status of an event. */
export const inboxStatuses = ['waiting', 'leased', 'failed', 'finished'] as const;

/** An event in the inbox, with its status. */
export interface InboxItem {
  readonly event: StoredEvent;
  readonly status: InboxStatus;
  /** The number of attempts. */
  readonly attempts: number;
  /** Why the last attempt failed, or null. */
  readonly reason: string | null;
}

/** The right to handle one event for a limited time. */
export interface Lease {
  readonly lease_id: string;
  readonly event: StoredEvent;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** A received event, with the topic and share that determine when it is leased. */
export interface ReceivedEvent {
  readonly event: StoredEvent;
  /** Events of one topic are leased in the order in which they were stored. */
  readonly topic: string;
  /** The other agent, or all contact requests. Shares take turns; a full inbox parks events of the largest one. */
  readonly share: string;
}

/**
 * Stores received events until they are handled, and a limited number of parked and handled ones. Each event kind has a
 * separate limit. Times are milliseconds since 1970.
 */
export interface InboxStore {
  /**
   * Stores events in order, up to the first one whose kind has no space left; resolves when they are durable. For each
   * of them, the result is `kept` if it was new, and `known` if it was already stored, finished or not.
   */
  keepAll(received: readonly ReceivedEvent[]): Promise<readonly ('kept' | 'known')[]>;
  /** Parks up to `count` waiting events of a kind, each time the newest one of the largest share, and returns them. */
  makeRoom(kind: string, count: number, reason: string): Promise<readonly InboxItem[]>;
  /**
   * Leases a due event to one caller in one process. The shares take turns. With `kinds`, it only leases events of
   * these kinds. Events of a topic (and of these kinds) are leased in order.
   */
  lease(nowMs: number, untilMs: number, kinds?: readonly string[]): Promise<Lease | undefined>;
  /** Renews a lease; returns false if it was lost. */
  renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean>;
  /** Marks an event as handled; returns false if the lease was lost. Without a lease id, the lease is not checked. */
  finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean>;
  /** Releases a leased event, which is then due at `dueMs`; returns false if the lease was lost. */
  postpone(eventId: string, leaseId: string, again: Postponement): Promise<boolean>;
  /** Makes these events due now, if they are waiting. */
  hasten(eventIds: readonly string[], nowMs: number): Promise<void>;
  /** Marks a leased event as failed; returns false if the lease was lost. */
  park(eventId: string, leaseId: string, reason: string): Promise<boolean>;
  /** Finishes failed events above the limit, each time the oldest one of the largest share, and returns them. */
  dropFailed(nowMs: number): Promise<readonly InboxItem[]>;
  /** Sets a failed or finished event to `waiting`, as the newest of its topic; returns false if it is neither. */
  release(eventId: string, nowMs: number): Promise<boolean>;
  /** All events of one status, oldest first. */
  list(status: InboxStatus): Promise<readonly InboxItem[]>;
  /** The stored events at this moment; `known` contains the ids of an earlier snapshot. */
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
  /** The number of attempts so far. */
  readonly attempts: number;
  readonly reason: string | null;
}

/** The public key of another agent, pinned at first use or trusted later. */
export interface Pin {
  readonly bot_id: string;
  /** Null if only the id was known when the key was pinned. */
  readonly handle: string | null;
  readonly public_key: string;
  /** ISO 8601. */
  readonly pinned_at: string;
}

/** The trusted keys of other agents. A key that was pinned for one agent is never accepted for another. */
export interface PinStore {
  get(botId: string): Promise<Pin | undefined>;
  /**
   * Pins a key and returns the pin. If the agent already has a pin, or another agent has a pin with this key, returns
   * that pin and changes nothing. Atomic among all processes that share the state.
   */
  keep(pin: Pin): Promise<Pin>;
  /** Replaces the agent's pin and returns the new one; if another agent has a pin with this key, returns that pin. */
  replace(pin: Pin): Promise<Pin>;
  list(): Promise<readonly Pin[]>;
}

/** An envelope that was sealed or opened, without its content. */
export interface RememberedEnvelope {
  /** The public key of the peer. The shared secret depends on it, so it is used here instead of the peer's id. */
  readonly peer_key: string;
  /** Base64. Unique among all envelopes exchanged with this peer, in both directions. */
  readonly nonce: string;
  readonly direction: 'sent' | 'received';
  /** Null after sealing, until the message is first read from the server. */
  readonly message_id: string | null;
  /** Hexadecimal. */
  readonly ciphertext_sha256: string;
  /** When the envelope was sealed here, or the message's `created_at`, in milliseconds since 1970. */
  readonly at_ms: number;
}

/** Remembers each peer's latest envelopes, to recognize one that the server presents again as another message. */
export interface NonceStore {
  /**
   * Remembers envelopes; resolves when they survive a crash. For each envelope, returns the first one that any process
   * stored with the same nonce. When a sent envelope is first read from the server, its message id is added. Above the
   * limit for a peer and direction, which may be exceeded by up to 1 %, envelopes with the lowest `at_ms` are deleted.
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

/** Stores the client data that must outlive the process. */
export interface ClientState {
  /**
   * Opens the state of an agent, and creates it if there is none.
   *
   * @throws StateError `state_of_other_agent`, `state_newer`, `state_unusable`
   */
  open(owner: StateOwner): Promise<OpenedState>;
  /** Closes open files; a later `open` opens them again. */
  close(): Promise<void>;
}

/** The limits of a state. */
export interface StateLimits {
  /** The maximum number of pending messages, and of pending order commands. Default 1,000. */
  readonly outboxMax?: number | undefined;
  /** The maximum number of waiting or leased events of each kind, and of failed events. Default 1,000. */
  readonly unfinishedMax?: number | undefined;
  /** The maximum number of finished events that stay stored. Default 1,000. */
  readonly finishedMax?: number | undefined;
  /** The maximum number of nonces stored for each peer and direction. Default 10,000. */
  readonly noncesMax?: number | undefined;
}
