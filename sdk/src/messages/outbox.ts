import { type ErrorCode, endpoints } from '@agent-platform/contract/client';
import type { PeerReference } from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import type { Plaintext } from '../crypto/box.ts';
import { parseUuid } from '../crypto/uuid.ts';
import * as errors from '../errors.ts';
import { warn } from '../host.ts';
import { isRecord } from '../json.ts';
import { optionKinds } from '../known-options.ts';
import type { AddressedEnvelope, Message } from '../records/message.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { OutboxEntry, Pin } from '../state/client-state.ts';
import { PendingRequests } from '../state/pending-requests.ts';
import { type ApiResult, mapResult } from '../transport/api-promise.ts';
import { type CallOptions, checkCallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import { findEarlierMessage, hasSameContent } from './earlier-message.ts';
import type { MessageCipher } from './message-cipher.ts';

/** Options of `messages.send()`. */
export interface SendOptions extends CallOptions {
  /**
   * The idempotency key, a UUID; random by default. Choose it yourself, for instance with `stableId`, if a restarted
   * program must not send the same message twice: sending the same text to the same friend again then resolves with the
   * earlier message.
   */
  readonly clientMessageId?: string | undefined;
}

/** The outcome of a message that was sent again. */
export type ResumedMessage = { readonly clientMessageId: string; readonly recipientId: string } & (
  | { readonly outcome: 'sent'; readonly message: Message; readonly error: null }
  | { readonly outcome: 'refused'; readonly message: null; readonly error: errors.ApiError | errors.KeyChangedError }
  | { readonly outcome: 'pending'; readonly message: null; readonly error: errors.PlatformError }
);

/** Warns of messages that `send` reported as pending and that the server has now refused. */
export function warnOfRefusedMessages(resumed: readonly ResumedMessage[]): void {
  for (const { outcome, clientMessageId, recipientId, error } of resumed) {
    if (outcome !== 'refused') continue;
    warn(
      `The server refused the message ${clientMessageId} to ${recipientId}, which was sent earlier: ${error.message} It is not retried.`,
      'AgentPlatformResumeWarning',
    );
  }
}

// Errors that concern the message itself, unlike a 401 or a proxy's error page: a retry would be refused again.
const finalRefusals: ReadonlySet<string> = new Set<ErrorCode>(
  endpoints.sendMessage.errors.filter((code) => code !== 'rate_limited'),
);

function isFinalRefusal(error: unknown): error is errors.ApiError {
  return error instanceof errors.ApiError && finalRefusals.has(error.code);
}

function idOf({ envelope }: OutboxEntry): string {
  return envelope.client_message_id;
}

function isPlaintext(content: unknown): content is Plaintext {
  return isRecord(content) && (typeof content['text'] === 'string' || content['bytes'] instanceof Uint8Array);
}

/** Decides whether an earlier message with the same id counts as this one. */
interface Comparison {
  readonly isStored: (stored: AddressedEnvelope) => Promise<boolean>;
  /** Default: whether the earlier message has the same content. */
  readonly isSent?: ((message: Message, envelope: AddressedEnvelope) => Promise<boolean>) | undefined;
}

interface OutboxDependencies {
  readonly transport: Transport;
  readonly credential: CachedCredential;
  readonly state: CachedState;
  readonly keys: ContactKeys;
  readonly cipher: MessageCipher;
  readonly now: () => number;
}

/**
 * Sends messages so that none is lost or stored twice: each envelope is stored before its first request, and removed
 * when the server has accepted or refused it.
 */
export class MessageOutbox {
  /** The envelopes whose outcome is unknown. */
  readonly pending: PendingRequests<OutboxEntry>;
  readonly #parts: OutboxDependencies;

  constructor(parts: OutboxDependencies) {
    this.#parts = parts;
    this.pending = new PendingRequests({
      state: parts.state,
      storeOf: ({ outbox }) => outbox,
      idOf,
      fullMessage:
        'Nothing was sent, because the outbox is full of messages with unknown outcomes. Call messages.resume() when the server is available.',
    });
  }

  async send(peer: PeerReference, content: Plaintext, sendOptions: SendOptions): Promise<ApiResult<Message>> {
    checkCallOptions('messages.send()', sendOptions, { clientMessageId: optionKinds.text });
    const { clientMessageId = crypto.randomUUID(), ...options } = sendOptions;
    const id = parseUuid('clientMessageId', clientMessageId);
    const isStored = (stored: AddressedEnvelope) => this.#parts.cipher.holds(stored, content);
    return await this.#send(peer, content, id, options, { isStored });
  }

  /**
   * Like `send`, but the first message with this id counts: if a message to this friend was already stored or sent with
   * the id, `content` is ignored.
   */
  async decide(peer: PeerReference, content: Plaintext, id: string, options: CallOptions): Promise<ApiResult<Message>> {
    checkCallOptions('reply()', options, {});
    const always = async () => true;
    return await this.#send(peer, content, id, options, { isStored: always, isSent: always });
  }

  async #send(
    peer: PeerReference,
    content: Plaintext,
    id: string,
    options: CallOptions,
    comparison: Comparison,
  ): Promise<ApiResult<Message>> {
    const { credential, keys } = this.#parts;
    if (!isPlaintext(content)) {
      throw new errors.ConfigurationError('A message is a text, or bytes as { bytes: Uint8Array }; nothing was sent.');
    }
    options.signal?.throwIfAborted();
    // Throws if there is no token, so that a message that cannot be sent is not stored.
    await credential.bearer.token();
    const pin = await keys.pinnedKey(peer, options);
    const entry = await this.#store(pin, content, id, comparison);
    await this.#deliverEarlier(entry, options);
    return await this.#deliver(entry, options, comparison.isSent);
  }

  async resume(options: CallOptions): Promise<readonly ResumedMessage[]> {
    checkCallOptions('messages.resume()', options, {});
    return await this.#resume(options, () => true);
  }

  async #resume(options: CallOptions, concerns: (entry: OutboxEntry) => boolean): Promise<readonly ResumedMessage[]> {
    const resumed = await this.pending.resume((entry) => this.#deliver(entry, options), concerns);
    return resumed.map((one): ResumedMessage => {
      const { client_message_id: clientMessageId, recipient_id: recipientId } = one.entry.envelope;
      const ids = { clientMessageId, recipientId };
      if (one.outcome === 'done') return { ...ids, outcome: 'sent', message: one.result.data, error: null };
      if (one.outcome === 'refused') return { ...ids, outcome: 'refused', message: null, error: one.error };
      return { ...ids, outcome: 'pending', message: null, error: one.error };
    });
  }

  async #store(pin: Pin, content: Plaintext, messageId: string, { isStored }: Comparison): Promise<OutboxEntry> {
    const { cipher, now } = this.#parts;
    const sealed = await cipher.seal(content, pin.public_key);
    const entry: OutboxEntry = {
      envelope: { recipient_id: pin.bot_id, client_message_id: messageId, ...sealed },
      kept_at: new Date(now()).toISOString(),
    };
    const { stored } = await this.pending.add(entry);
    if (stored === undefined) return entry;
    if (stored.envelope.recipient_id === pin.bot_id && (await isStored(stored.envelope))) return stored;
    throw new errors.ConfigurationError(
      `The outbox already contains a message with the clientMessageId ${messageId} and another text or friend. Nothing was sent: repeat the same message, or use a new id for a new message.`,
    );
  }

  /** Sends pending messages to the same friend first, to preserve their order. */
  async #deliverEarlier({ envelope }: OutboxEntry, options: CallOptions): Promise<void> {
    const { recipient_id, client_message_id: id } = envelope;
    const all = await this.pending.list();
    const before = all.slice(0, all.map(idOf).indexOf(id));
    const earlier = new Set(before.filter((entry) => entry.envelope.recipient_id === recipient_id).map(idOf));
    if (earlier.size === 0) return;
    const resumed = await this.#resume(options, (entry) => earlier.has(idOf(entry)));
    warnOfRefusedMessages(resumed);
    const blocking = resumed.find(({ outcome }) => outcome === 'pending');
    if (blocking?.outcome !== 'pending') return;
    throw new errors.MessagePendingError(
      id,
      `The message ${id} waits in the outbox behind the message ${blocking.clientMessageId} to the same friend (${blocking.error.message}). messages.resume() sends them in order.`,
      blocking.error,
    );
  }

  async #deliver(
    entry: OutboxEntry,
    options: CallOptions,
    isSent: NonNullable<Comparison['isSent']> = (message, sealed) =>
      hasSameContent(this.#parts.cipher, message, sealed),
  ): Promise<ApiResult<Message>> {
    const { envelope } = entry;
    const request = async () => {
      try {
        return await mapResult(
          this.#parts.transport.call(endpoints.sendMessage, { body: envelope }, options),
          ({ message }) => message,
        );
      } catch (error) {
        if (!(error instanceof errors.ApiError) || error.code !== 'idempotency_conflict') throw error;
        return await findEarlierMessage({ transport: this.#parts.transport, isSent }, envelope, error, options);
      }
    };
    try {
      return await this.pending.send(entry, request, isFinalRefusal);
    } catch (error) {
      if (isFinalRefusal(error)) throw await this.#explain(error, entry, options);
      // State errors and the abort reason of the caller's signal are thrown unchanged.
      if (!(error instanceof errors.PlatformError) || error instanceof errors.StateError) throw error;
      const id = envelope.client_message_id;
      throw new errors.MessagePendingError(
        id,
        `The message ${id} may or may not have arrived (${error.message}). It is stored in the outbox; messages.resume() sends the same bytes again.`,
        error,
      );
    }
  }

  // After `key_changed`, reads the contact to find out whose public key is different on the server.
  async #explain(
    error: errors.ApiError,
    { envelope }: OutboxEntry,
    options: CallOptions,
  ): Promise<errors.PlatformError> {
    if (error.code !== 'key_changed') return error;
    try {
      const { keys } = this.#parts;
      await keys.compare(await keys.shownKey(envelope.recipient_id, options));
    } catch (found) {
      if (found instanceof errors.KeyChangedError) return found;
    }
    return error;
  }
}
