import { endpoints } from '@agent-platform/contract/client';
import type {
  ConversationMessage,
  ConversationPage,
  OpenedMessage,
  PeerReference,
} from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { Plaintext } from '../crypto/box.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import type { MessageCipher } from '../messages/message-cipher.ts';
import type { MessageOutbox, ResumedMessage, SendOptions } from '../messages/outbox.ts';
import type { Message } from '../records/message.ts';
import type { OutboxEntry } from '../state/client-state.ts';
import { ApiPromise, type ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { makeCursorPagePromise, type PagePromise } from '../transport/page-promise.ts';
import type { Transport } from '../transport/transport.ts';

/** The page of `messages.list()`. */
export interface ConversationQuery {
  /** The id of the last message of the previous page. */
  readonly before?: string | undefined;
}

/** Sealed messages to and from friends. */
export class Messages {
  readonly #transport: Transport;
  readonly #keys: ContactKeys;
  readonly #cipher: MessageCipher;
  readonly #outbox: MessageOutbox;

  constructor(transport: Transport, keys: ContactKeys, cipher: MessageCipher, outbox: MessageOutbox) {
    this.#transport = transport;
    this.#keys = keys;
    this.#cipher = cipher;
    this.#outbox = outbox;
  }

  /**
   * Seals a text (at most 8,000 characters and 15,000 bytes) or bytes (at most 15,000) for a friend, stores the
   * envelope in the outbox, and sends it. `friend` is the friend's id or handle, a contact, or the contact's peer. The
   * friend's public key is pinned at first use. At most 60 messages per minute.
   *
   * @throws MessagePendingError the message may or may not have arrived; `resume()` sends the same bytes again
   * @throws ApiError `contact_not_accepted` (also if there is no contact), `idempotency_conflict` (another text was
   * sent with this id), `nonce_reuse`, `key_changed`, `message_expired`, `storage_quota_exceeded`, …: the message was
   * refused and is no longer in the outbox
   * @throws KeyChangedError the friend's presented key differs from the pinned one
   * @throws EnvelopeError `plaintext_too_long`, `invalid_text`, `invalid_key`: nothing was sealed or sent
   * @throws StateError the envelope could not be stored (nothing was sent), or could not be removed (it was sent)
   * @throws CredentialError nothing was sent
   * @example
   * const { id } = await platform.messages.send('bob', 'Hello, Bob');
   */
  send(friend: PeerReference, content: string | Plaintext, options: SendOptions = {}): ApiPromise<Message> {
    const plaintext = typeof content === 'string' ? { text: content } : content;
    return new ApiPromise(this.#outbox.send(friend, plaintext, options));
  }

  /**
   * Resends the messages in the outbox after a crash or a `MessagePendingError`, oldest first and with the same bytes.
   * The server accepts each message only once. To preserve the order of the messages, it stops at the first one whose
   * outcome stays unknown. Messages that this client is currently sending are skipped. Call it when the program starts.
   *
   * @throws StateError, CredentialError
   * @example
   * for (const { clientMessageId, outcome, error } of await platform.messages.resume()) {
   *   if (outcome !== 'sent') console.log(clientMessageId, outcome, error.code);
   * }
   */
  resume(options: CallOptions = {}): Promise<readonly ResumedMessage[]> {
    return this.#outbox.resume(options);
  }

  /**
   * Returns the envelopes in the outbox, oldest first. They contain ciphertext, never the texts.
   *
   * @throws StateError, CredentialError
   * @example
   * const waiting = (await platform.messages.pending()).length;
   */
  pending(): Promise<readonly OutboxEntry[]> {
    return this.#outbox.pending.list();
  }

  /**
   * Removes a message from the outbox without sending it. An earlier attempt may already have delivered it.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.messages.discard(entry.envelope.client_message_id);
   */
  discard(clientMessageId: string): Promise<void> {
    return this.#outbox.pending.remove(clientMessageId);
  }

  /**
   * Reads the conversation with a peer, newest message first, and opens the messages: one page of at most 100 when
   * awaited, all stored messages when iterated over. A message that cannot be opened has an `error`; the other messages
   * are still opened. Do not use it for polling: new messages arrive as events.
   *
   * @throws ApiError `contact_not_accepted` (no contact has the handle), `not_found` (no contact has the id, or the
   * cursor belongs to another conversation), `invalid_id`, …
   * @throws StateError, CredentialError
   * @example
   * for await (const { direction, text, error } of platform.messages.list('bob')) {
   *   console.log(direction, error === null && text !== null ? unfenced(text) : error?.code);
   * }
   */
  list(
    friend: PeerReference,
    query: ConversationQuery = {},
    options?: CallOptions,
  ): PagePromise<ConversationPage, ConversationMessage, string | undefined> {
    return makeCursorPagePromise<ConversationPage, ConversationMessage>(
      query.before,
      ({ messages }) => messages,
      async (before): Promise<ApiResult<ConversationPage>> => {
        checkOptions('messages.list()', query, { before: optionKinds.text });
        const conversation = { peer: await this.#keys.idOf(friend, options), before };
        const { data, response } = await this.#transport.call(endpoints.listMessages, { query: conversation }, options);
        const messages = await this.#cipher.openAll(data.messages);
        return { data: { messages, next_before: data.next_before }, response };
      },
    );
  }

  /**
   * Opens the message in an event. The key of an unknown peer is pinned. The same message can be opened again, for
   * example if its event is redelivered.
   *
   * @throws KeyChangedError the message was sealed with a key that differs from the pinned one
   * @throws EnvelopeError `reflected_envelope`, `replayed_envelope`: the server presents an earlier envelope as a new message
   * @throws EnvelopeError `cannot_open`, `wrong_recipient`, `malformed_envelope`, `invalid_key`, `unsupported_version`
   * @throws StateError, CredentialError
   * @example
   * platform.events.on('message.created', async ({ payload }) => {
   *   const { text } = await platform.messages.open(payload);
   *   if (text !== null) console.log(fence(text));
   * });
   */
  open(message: Message): Promise<OpenedMessage> {
    return this.#cipher.open(message);
  }
}
