import { randomUUID } from 'node:crypto';
import { type ErrorCode, type Message, sendMessage } from '@agent-platform/contract';
import type { PeerReference } from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import type { Plaintext } from '../crypto/box.ts';
import {
  ApiError,
  ConfigurationError,
  KeyChangedError,
  MessagePendingError,
  PlatformError,
  StateError,
} from '../errors.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { OutboxEntry } from '../state/client-state.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import { mapResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import type { MessageCipher } from './message-cipher.ts';

/** What became of a message that was sent again. */
export type ResumedMessage = { readonly clientMessageId: string; readonly recipientId: string } & (
  | { readonly outcome: 'sent'; readonly message: Message; readonly error: null }
  | { readonly outcome: 'refused'; readonly message: null; readonly error: ApiError | KeyChangedError }
  | { readonly outcome: 'pending'; readonly message: null; readonly error: PlatformError }
);

// What the operation itself refuses: the same bytes would be refused again.
// Everything else, a 401 or a proxy's page included, says nothing of the message.
const finalRefusals: ReadonlySet<string> = new Set<ErrorCode>(
  sendMessage.errors.filter((code) => code !== 'rate_limited'),
);

/** Tells whether an error is the last word on a message. */
export function isFinalRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && finalRefusals.has(error.code);
}

/** Everything that the outbox works with. */
export interface OutboxParts {
  readonly transport: Transport;
  readonly held: CachedCredential;
  readonly state: CachedState;
  readonly friends: ContactKeys;
  readonly dialog: MessageCipher;
  readonly now: () => number;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Sends messages so that none is lost or sent twice: the envelope is kept before
 * its first request, and leaves when the server has taken or refused it.
 */
export class MessageOutbox {
  readonly #parts: OutboxParts;
  readonly #underWay = new Set<string>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  async send(
    friend: PeerReference,
    content: Plaintext,
    messageId: string | undefined,
    options: CallOptions,
  ): Promise<ApiResult<Message>> {
    const { held, friends } = this.#parts;
    if (messageId !== undefined && !uuidForm.test(messageId)) {
      throw new ConfigurationError(`clientMessageId is ${JSON.stringify(messageId)}; it has to be a UUID.`);
    }
    options.signal?.throwIfAborted();
    // Without a token nothing could be sent; nothing is kept then either.
    await held.bearer.token();
    const pin = await friends.pinnedKey(friend, options);
    const entry = await this.#keep(pin, content, messageId?.toLowerCase() ?? randomUUID());
    return await this.#deliver(entry, options);
  }

  async resume(options: CallOptions): Promise<readonly ResumedMessage[]> {
    const { outbox } = await this.#parts.state.opened();
    const results: ResumedMessage[] = [];
    let stopped: PlatformError | undefined;
    for (const entry of await outbox.list()) {
      const { client_message_id: clientMessageId, recipient_id: recipientId } = entry.envelope;
      if (this.#underWay.has(clientMessageId)) continue;
      const names = { clientMessageId, recipientId };
      // The ones behind would overtake it.
      if (stopped !== undefined) {
        results.push({ ...names, outcome: 'pending', message: null, error: stopped });
        continue;
      }
      const result = await this.#resumeOne(entry, options);
      if (result.outcome === 'pending') stopped = result.error;
      results.push({ ...names, ...result });
    }
    return results;
  }

  async #resumeOne(entry: OutboxEntry, options: CallOptions) {
    try {
      const { data } = await this.#deliver(entry, options);
      return { outcome: 'sent', message: data, error: null } as const;
    } catch (error) {
      if (isFinalRefusal(error) || error instanceof KeyChangedError) {
        return { outcome: 'refused', message: null, error } as const;
      }
      if (error instanceof PlatformError) return { outcome: 'pending', message: null, error } as const;
      throw error;
    }
  }

  async #keep(
    pin: { bot_id: string; public_key: string },
    content: Plaintext,
    messageId: string,
  ): Promise<OutboxEntry> {
    const { state, dialog, now } = this.#parts;
    const { outbox } = await state.opened();
    const sealed = await dialog.seal(content, pin.public_key);
    const entry: OutboxEntry = {
      envelope: { recipient_id: pin.bot_id, client_message_id: messageId, ...sealed },
      kept_at: new Date(now()).toISOString(),
    };
    const kept = await outbox.keep(entry);
    if (kept === 'kept') return entry;
    if (kept === 'full') {
      throw new StateError(
        'outbox_full',
        'The outbox is full of messages whose outcome is not known; nothing was sent. Call messages.resume() once the server answers.',
      );
    }
    const before = (await outbox.list()).find(({ envelope }) => envelope.client_message_id === messageId);
    // Gone in this moment: another process has just delivered it.
    if (before === undefined) return entry;
    if (before.envelope.recipient_id === pin.bot_id && (await dialog.holds(before.envelope, content))) return before;
    throw new ConfigurationError(
      `The outbox holds another message under ${messageId}. Every message takes an id of its own; nothing was sent.`,
    );
  }

  async #deliver(entry: OutboxEntry, options: CallOptions): Promise<ApiResult<Message>> {
    const { transport, state } = this.#parts;
    const { outbox } = await state.opened();
    const id = entry.envelope.client_message_id;
    this.#underWay.add(id);
    try {
      const answer = await mapResult(
        transport.call(sendMessage, { body: entry.envelope }, options),
        ({ message }) => message,
      );
      await outbox.remove(id);
      return answer;
    } catch (error) {
      if (isFinalRefusal(error)) {
        await outbox.remove(id);
        throw await this.#explain(error, entry, options);
      }
      // The caller's own signal, or a state that failed: both speak for themselves.
      if (!(error instanceof PlatformError) || error instanceof StateError) throw error;
      throw new MessagePendingError(
        id,
        `The message ${id} may or may not have arrived (${error.message}). It is kept in the outbox; messages.resume() sends the same bytes again.`,
        error,
      );
    } finally {
      this.#underWay.delete(id);
    }
  }

  // The server knows another key of one of the two. Whose it is shows in the contact.
  async #explain(error: ApiError, { envelope }: OutboxEntry, options: CallOptions): Promise<PlatformError> {
    if (error.code !== 'key_changed') return error;
    try {
      const { friends } = this.#parts;
      await friends.compare(await friends.shownKey(envelope.recipient_id, options));
    } catch (found) {
      if (found instanceof KeyChangedError) return found;
    }
    return error;
  }
}
