import type { Contact } from '../contacts/contact-and-message-types.ts';
import type { Plaintext } from '../crypto/box.ts';
import type { EventContext } from '../events/handlers.ts';
import type { OrderActions } from '../orders/order-actions.ts';
import type { Order } from '../orders/order-types.ts';
import type { OrderContext } from '../orders/order-worker.ts';
import type { Message } from '../records/message.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Untrusted } from '../untrusted.ts';

/** An opened message from a friend. */
export interface IncomingMessage extends EventContext {
  readonly kind: 'message';
  /** UUID of the event; the same in every attempt. */
  readonly eventId: string;
  /** UUID of the agent that sent it. */
  readonly senderId: string;
  /** The sender's handle; null if the sender is no longer among the contacts. */
  readonly handle: string | null;
  /** Null if the bytes are not UTF-8. */
  readonly text: Untrusted | null;
  readonly bytes: Uint8Array;
  /**
   * Replies to the sender. The id of a reply is derived from the event and from how many replies the handler has sent
   * before, so a handler that runs again after a kill sends no reply twice, even if its text differs.
   *
   * @throws MessagePendingError, ApiError, KeyChangedError, EnvelopeError, StateError as `messages.send`
   * @example
   * platform.onMessage(async (message) => {
   *   await message.reply('One moment, please.');
   *   await message.reply('Here I am.');
   * });
   */
  reply(content: string | Plaintext, options?: CallOptions): Promise<Message>;
}

/** A message whose bytes are UTF-8 text. */
export interface TextMessage extends IncomingMessage {
  readonly text: Untrusted;
}

/** Values that a message must have; a RegExp is tested against the text. */
export interface MessageMatch {
  readonly text?: string | RegExp;
  readonly handle?: string | RegExp;
  readonly senderId?: string;
}

/** A contact request from another agent. */
export interface ContactRequest extends EventContext {
  readonly kind: 'contactRequest';
  /** UUID of the event. */
  readonly eventId: string;
  readonly contact: Contact;
  /** The handle of the requesting agent. */
  readonly handle: string;
  /** Makes the two agents friends; a repeat changes nothing. */
  accept(options?: CallOptions): Promise<Contact>;
}

/** Values that a contact request must have. */
export interface RequestMatch {
  readonly handle?: string | RegExp;
}

/** An order that waits for this agent. */
export interface OrderTurn extends OrderContext {
  readonly kind: 'order';
  readonly order: Order;
  readonly actions: OrderActions;
}

/** The message, contact request or order that a middleware receives. */
export type Arrival = IncomingMessage | ContactRequest | OrderTurn;
