import { encodeBase64 } from '@agent-platform/contract/keys';
import type { ConversationMessage, OpenedMessage } from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import { Box, type Plaintext } from '../crypto/box.ts';
import { isUuid } from '../crypto/uuid.ts';
import { EnvelopeError, KeyChangedError } from '../errors.ts';
import type { Message } from '../records/message.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { RememberedEnvelope } from '../state/client-state.ts';
import { hashCiphertext, parseTimestampMs } from '../state/remembered-envelopes.ts';
import type { Untrusted } from '../untrusted.ts';
import { detectReplay } from './detect-replay.ts';

/** Seals messages to friends and opens messages from them, with the agent's key pair. */
export class MessageCipher {
  readonly #credential: CachedCredential;
  readonly #keys: ContactKeys;
  readonly #state: CachedState;
  #box: Box | undefined;

  constructor(credential: CachedCredential, keys: ContactKeys, state: CachedState) {
    this.#credential = credential;
    this.#keys = keys;
    this.#state = state;
  }

  async seal(content: Plaintext, recipientPublicKey: string) {
    return (await this.#ownBox()).seal({ ...content, recipientPublicKey });
  }

  /** Whether one of this agent's envelopes contains this content. */
  async holds(envelope: Parameters<Box['open']>[0], content: Plaintext): Promise<boolean> {
    const { bytes } = (await this.#ownBox()).open(envelope);
    return encodeBase64(bytes) === encodeBase64(content.bytes ?? new TextEncoder().encode(content.text));
  }

  /**
   * Opens a message of a conversation; pins the peer's key if none is pinned.
   *
   * @throws EnvelopeError, KeyChangedError
   */
  async open(message: Message): Promise<OpenedMessage> {
    const [item] = await this.openAll([message]);
    if (item === undefined || item.error !== null) throw item?.error;
    return item;
  }

  /** Opens messages that are sorted newest first; if a message cannot be opened, its `error` is the reason. */
  async openAll(messages: readonly Message[]): Promise<readonly ConversationMessage[]> {
    const items: ConversationMessage[] = [];
    for (const message of messages) items.push(await this.#decrypt(message));
    // Oldest first: if two messages have the same nonce, the later one is the replay.
    const opened = items.filter((item) => item.error === null).toReversed();
    if (opened.length === 0) return items;
    const { nonces } = await this.#state.opened();
    const read = opened.map(toRemembered);
    const remembered = await nonces.remember(read);
    const repeats = new Map(opened.map(({ message }, at) => [message, detectReplay(read[at], remembered[at])]));
    return items.map((item) => {
      const error = repeats.get(item.message);
      return error === undefined ? item : { ...item, bytes: null, text: null, error };
    });
  }

  async #decrypt(message: Message): Promise<ConversationMessage> {
    const { bot_id } = await this.#credential.current();
    const direction = message.sender_id === bot_id ? 'sent' : 'received';
    try {
      return { message, direction, ...(await this.#contentOf(message, direction, bot_id)), error: null };
    } catch (error) {
      if (!(error instanceof EnvelopeError) && !(error instanceof KeyChangedError)) throw error;
      return { message, direction, bytes: null, text: null, error };
    }
  }

  async #contentOf(message: Message, direction: 'sent' | 'received', ownId: string) {
    const box = await this.#ownBox();
    if (!isUuid(message.id)) throw new EnvelopeError('malformed_envelope', 'The id of the message is not a UUID.');
    if (direction === 'received' && message.recipient_id !== ownId) {
      throw new EnvelopeError('wrong_recipient', 'The message is neither for this agent nor from it.');
    }
    const own = direction === 'sent' ? message.sender_public_key : message.recipient_public_key;
    if (own !== box.publicKey) {
      throw new EnvelopeError('wrong_recipient', 'The message contains another public key for this agent.');
    }
    const shown = {
      botId: direction === 'sent' ? message.recipient_id : message.sender_id,
      handle: null,
      publicKey: direction === 'sent' ? message.recipient_public_key : message.sender_public_key,
    };
    await this.#keys.compare(shown);
    const { bytes, text } = box.open(message);
    // Checks the key last, because a key is only pinned after it has opened a message.
    await this.#keys.check(shown);
    // The cast marks the text as written by another agent; it has no effect at run time.
    return { bytes, text: text as Untrusted | null };
  }

  async #ownBox(): Promise<Box> {
    const { encryption_public_key: publicKey, encryption_secret_key: secretKey } = await this.#credential.current();
    if (this.#box?.publicKey !== publicKey) this.#box = new Box({ publicKey, secretKey });
    return this.#box;
  }
}

function toRemembered({ message, direction }: ConversationMessage): RememberedEnvelope {
  return {
    peer_key: direction === 'sent' ? message.recipient_public_key : message.sender_public_key,
    nonce: message.nonce,
    direction,
    message_id: message.id.toLowerCase(),
    ciphertext_sha256: hashCiphertext(message.ciphertext),
    at_ms: parseTimestampMs(message.created_at),
  };
}
