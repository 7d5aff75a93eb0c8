import type { Message } from '@agent-platform/contract';
import type { ConversationMessage, OpenedMessage } from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import { Box, type Plaintext } from '../crypto/box.ts';
import { EnvelopeError, KeyChangedError } from '../errors.ts';
import type { Untrusted } from '../untrusted.ts';

/** Seals messages for friends and opens theirs, with the key pair of the agent. */
export class MessageCipher {
  readonly #credential: CachedCredential;
  readonly #keys: ContactKeys;
  #box: Box | undefined;

  constructor(credential: CachedCredential, keys: ContactKeys) {
    this.#credential = credential;
    this.#keys = keys;
  }

  /** Seals a text or bytes for one key. */
  async seal(content: Plaintext, recipientPublicKey: string) {
    return (await this.#ownBox()).seal({ ...content, recipientPublicKey });
  }

  /** Checks whether an own envelope holds this content. */
  async holds(envelope: Parameters<Box['open']>[0], content: Plaintext): Promise<boolean> {
    const { bytes } = (await this.#ownBox()).open(envelope);
    return Buffer.from(bytes).equals(content.bytes ?? Buffer.from(content.text, 'utf8'));
  }

  /**
   * Opens a message of a conversation, and pins the peer's key where none is pinned.
   *
   * @throws EnvelopeError, KeyChangedError
   */
  async open(message: Message): Promise<OpenedMessage> {
    const { bot_id } = await this.#credential.current();
    const box = await this.#ownBox();
    const direction = message.sender_id === bot_id ? 'sent' : 'received';
    if (direction === 'received' && message.recipient_id !== bot_id) {
      throw new EnvelopeError('wrong_recipient', 'The message is neither for this agent nor from it.');
    }
    const own = direction === 'sent' ? message.sender_public_key : message.recipient_public_key;
    if (own !== box.publicKey) {
      throw new EnvelopeError('wrong_recipient', 'The message states another public key for this agent.');
    }
    const shown = {
      botId: direction === 'sent' ? message.recipient_id : message.sender_id,
      handle: null,
      publicKey: direction === 'sent' ? message.recipient_public_key : message.sender_public_key,
    };
    await this.#keys.compare(shown);
    const { bytes, text } = box.open(message);
    // A key is pinned once it has opened a message.
    await this.#keys.check(shown);
    // In the types only: it is the text of another agent.
    return { message, direction, bytes, text: text as Untrusted | null, error: null };
  }

  /** The same, with the reason as data where it cannot be opened. */
  async show(message: Message): Promise<ConversationMessage> {
    try {
      return await this.open(message);
    } catch (error) {
      if (!(error instanceof EnvelopeError) && !(error instanceof KeyChangedError)) throw error;
      const { bot_id } = await this.#credential.current();
      const direction = message.sender_id === bot_id ? 'sent' : 'received';
      return { message, direction, bytes: null, text: null, error };
    }
  }

  async #ownBox(): Promise<Box> {
    const { encryption_public_key: publicKey, encryption_secret_key: secretKey } = await this.#credential.current();
    if (this.#box?.publicKey !== publicKey) this.#box = new Box({ publicKey, secretKey });
    return this.#box;
  }
}
