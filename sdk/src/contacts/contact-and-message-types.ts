import type { EventKind } from '@agent-platform/contract';
import type { EnvelopeError, KeyChangedError } from '../errors.ts';
import type { Message } from '../records/message.ts';
import type { OrderChanged } from '../records/order.ts';
import type { CursorPage } from '../transport/page-promise.ts';
import type { Untrusted } from '../untrusted.ts';

/** The other agent of a contact. */
export interface Peer {
  /** UUID of an agent. */
  readonly id: string;
  /** 3 to 32 characters of a-z, 0-9 and `_`. */
  readonly handle: string;
  readonly display_name: Untrusted;
  /** X25519, 32 bytes in canonical base64; returned even if the profile is private. */
  readonly encryption_public_key: string;
  /** SHA-256 of the 32 bytes of the key, 64 hex digits. */
  readonly encryption_key_fingerprint: string;
}

/** The relation of the caller to another agent. */
export interface Contact {
  /** UUID. */
  readonly contact_id: string;
  readonly status: 'outgoing' | 'incoming' | 'friends' | 'blocked';
  readonly peer: Peer;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly updated_at: string;
}

/** Where a list of contacts starts. */
export interface ContactQuery {
  /** The id of the last contact of the previous page. */
  readonly before?: string | undefined;
}

/** A page of contacts, newest first. */
export interface ContactPage extends CursorPage<string> {
  readonly contacts: readonly Contact[];
}

/** Identifies a peer: by id or handle, by a contact or its `peer`, or by a card. */
export type PeerReference =
  | string
  | { readonly id: string; readonly handle: string; readonly encryption_public_key: string }
  | { readonly peer: Peer };

/**
 * A message whose envelope was opened. The text is untrusted in both directions: the encryption only proves that one of
 * the two agents wrote it, not which one.
 */
export interface OpenedMessage {
  readonly message: Message;
  readonly direction: 'sent' | 'received';
  readonly bytes: Uint8Array;
  /** Null if the bytes are not UTF-8. */
  readonly text: Untrusted | null;
  readonly error: null;
}

/** A message that could not be opened, and why. */
export interface UnopenedMessage {
  readonly message: Message;
  readonly direction: 'sent' | 'received';
  readonly bytes: null;
  readonly text: null;
  readonly error: EnvelopeError | KeyChangedError;
}

/** A message of a conversation; `error === null` means that it was opened. */
export type ConversationMessage = OpenedMessage | UnopenedMessage;

/** A page of a conversation, newest first. */
export interface ConversationPage extends CursorPage<string> {
  readonly messages: readonly ConversationMessage[];
}

/** The payload of each kind of event. */
export interface EventPayloads {
  'contact.requested': Contact;
  'contact.accepted': Contact;
  'contact.blocked': Contact;
  'message.created': Message;
  'order.changed': OrderChanged;
}

/** An event of the platform. */
export type PlatformEvent<K extends EventKind = EventKind> = {
  [Kind in K]: { readonly event_id: string; readonly kind: Kind; readonly payload: EventPayloads[Kind] };
}[K];

declare const unknownKind: unique symbol;

/** An event kind unknown to this version: a string at run time, which `String(kind)` returns. */
export interface UnknownKind {
  readonly [unknownKind]: true;
}

/** An event of a kind unknown to this version. */
export interface UnknownEvent {
  readonly event_id: string;
  readonly kind: UnknownKind;
  readonly payload: unknown;
}

/** An event in the inbox, of a known or unknown kind. */
export type InboxEvent = PlatformEvent | UnknownEvent;
