import { decodeBase64, encodeBase64, limits } from '@agent-platform/contract/keys';
import nacl from 'tweetnacl';
import { EnvelopeError } from '../errors.ts';
import { decodePublicKey, decodeSecretKey, type KeyPair, publicKeyOf } from './keys.ts';
import { type RandomBytes, systemRandomBytes } from './random.ts';

/** The members of a message that `box-v1` produces; the sender adds the recipient and the message id. */
export interface Envelope {
  readonly encryption_version: 'box-v1';
  /** 24 bytes, base64. It must never be used twice between the same two agents. */
  readonly nonce: string;
  /** 16 to 16,384 bytes, base64. */
  readonly ciphertext: string;
  readonly sender_public_key: string;
  readonly recipient_public_key: string;
}

/** The members of a received envelope; its version may be unknown to this package. */
export type SealedMessage = Omit<Envelope, 'encryption_version'> & { readonly encryption_version: string };

/** A plaintext: a text, or bytes. */
export type Plaintext =
  | { readonly text: string; readonly bytes?: undefined }
  | { readonly bytes: Uint8Array; readonly text?: undefined };

/** The content of an envelope. `text` is null if the bytes are not UTF-8. */
export interface OpenedEnvelope {
  readonly bytes: Uint8Array;
  readonly text: string | null;
}

/** The options of a `Box`. */
export interface BoxOptions {
  /** The maximum number of cached shared secrets; the least recently used one is dropped. Default 256. */
  readonly maxPeers?: number;
  readonly random?: RandomBytes;
}

/**
 * Seals and opens envelopes for one key pair, and caches the shared secret of each peer, because the key agreement is
 * far slower than sealing.
 *
 * @example
 * const box = new Box(keyPair);
 * const envelope = box.seal({ text: 'Hello', recipientPublicKey: friend.encryption_public_key });
 */
export class Box {
  readonly publicKey: string;
  readonly #secretKey: Uint8Array;
  // The first entry is the least recently used, because `#sharedWith` inserts each used entry again.
  readonly #shared = new Map<string, Uint8Array>();
  readonly #maxPeers: number;
  readonly #random: RandomBytes;

  /** @throws EnvelopeError `invalid_key` if the two keys are not a pair. */
  constructor(keyPair: KeyPair, options: BoxOptions = {}) {
    this.#secretKey = decodeSecretKey(keyPair.secretKey);
    if (publicKeyOf(keyPair.secretKey) !== keyPair.publicKey) {
      throw new EnvelopeError('invalid_key', 'The public key does not belong to the secret key.');
    }
    this.publicKey = keyPair.publicKey;
    this.#maxPeers = Math.max(1, options.maxPeers ?? 256);
    this.#random = options.random ?? systemRandomBytes;
  }

  /** The number of cached shared secrets. */
  get peers(): number {
    return this.#shared.size;
  }

  /**
   * Seals a text (up to 8,000 code points and 15,000 bytes of UTF-8) or bytes (up to 15,000), so that only the
   * recipient and the owner of this key pair can open the envelope.
   *
   * @throws EnvelopeError `invalid_key`, `invalid_text`, `plaintext_too_long`
   */
  seal(message: Plaintext & { readonly recipientPublicKey: string }): Envelope {
    const plaintext = toBytes(message);
    const shared = this.#sharedWith(message.recipientPublicKey);
    const nonce = Uint8Array.from(this.#random(limits.nonceBytes));
    return {
      encryption_version: 'box-v1',
      nonce: encodeBase64(nonce),
      ciphertext: encodeBase64(nacl.box.after(plaintext, nonce, shared)),
      sender_public_key: this.publicKey,
      recipient_public_key: message.recipientPublicKey,
    };
  }

  /**
   * Opens an envelope sealed for this key pair or by it: the shared secret is the same in both directions.
   *
   * @throws EnvelopeError `unsupported_version`, `wrong_recipient`, `malformed_envelope`, `invalid_key`, `cannot_open`
   */
  open(envelope: SealedMessage): OpenedEnvelope {
    if (envelope.encryption_version !== 'box-v1') {
      throw new EnvelopeError('unsupported_version', 'The envelope is not of version box-v1; update this package.');
    }
    const shared = this.#sharedWith(this.#peerOf(envelope));
    const nonce = decodeSized(envelope.nonce, 'nonce', limits.nonceBytes, limits.nonceBytes);
    const ciphertext = decodeSized(
      envelope.ciphertext,
      'ciphertext',
      limits.ciphertextMinBytes,
      limits.ciphertextMaxBytes,
    );
    const bytes = nacl.box.open.after(ciphertext, nonce, shared);
    if (bytes === null) {
      throw new EnvelopeError('cannot_open', 'The envelope was changed in transit or sealed with other keys.');
    }
    return { bytes, text: toText(bytes) };
  }

  #peerOf(envelope: SealedMessage): string {
    if (envelope.recipient_public_key === this.publicKey) return envelope.sender_public_key;
    if (envelope.sender_public_key === this.publicKey) return envelope.recipient_public_key;
    throw new EnvelopeError('wrong_recipient', 'The envelope is neither for this key pair nor from it.');
  }

  #sharedWith(peerPublicKey: string): Uint8Array {
    const cached = this.#shared.get(peerPublicKey);
    const shared = cached ?? nacl.box.before(decodePublicKey(peerPublicKey), this.#secretKey);
    this.#shared.delete(peerPublicKey);
    this.#shared.set(peerPublicKey, shared);
    const [oldest] = this.#shared.keys();
    if (this.#shared.size > this.#maxPeers && oldest !== undefined) this.#shared.delete(oldest);
    return shared;
  }
}

/**
 * Seals one message. Use a `Box` for several messages.
 *
 * @throws EnvelopeError `invalid_key`, `invalid_text`, `plaintext_too_long`
 * @example
 * const envelope = seal({ text: 'Hello', recipientPublicKey: friend.encryption_public_key, keyPair });
 */
export function seal(
  message: Plaintext & { readonly recipientPublicKey: string; readonly keyPair: KeyPair },
): Envelope {
  return new Box(message.keyPair).seal(message);
}

/**
 * Opens one envelope sealed for this key pair or by it. Use a `Box` for several envelopes.
 *
 * @throws EnvelopeError `unsupported_version`, `wrong_recipient`, `malformed_envelope`, `invalid_key`, `cannot_open`
 * @example
 * const { text } = open(message, keyPair);
 */
export function open(envelope: SealedMessage, keyPair: KeyPair): OpenedEnvelope {
  return new Box(keyPair).open(envelope);
}

function toBytes(message: Plaintext): Uint8Array {
  if (message.bytes !== undefined) return withinBytes(message.bytes);
  // An encoder would silently replace a lone surrogate, and the peer would read a different text.
  if (!message.text.isWellFormed()) {
    throw new EnvelopeError('invalid_text', 'The text contains an unpaired surrogate and cannot be encoded as UTF-8.');
  }
  const bytes = new TextEncoder().encode(message.text);
  if (countCodePoints(message.text) > limits.plaintextMaxLength) {
    throw new EnvelopeError('plaintext_too_long', `A text has at most ${limits.plaintextMaxLength} characters.`);
  }
  return withinBytes(bytes);
}

function withinBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length > limits.plaintextMaxBytes) {
    throw new EnvelopeError('plaintext_too_long', `A message has at most ${limits.plaintextMaxBytes} bytes.`);
  }
  return bytes;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function decodeSized(text: string, name: string, minBytes: number, maxBytes: number): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new EnvelopeError('malformed_envelope', `The ${name} is not canonical base64.`);
  if (bytes.length < minBytes || bytes.length > maxBytes) {
    throw new EnvelopeError('malformed_envelope', `The ${name} has ${bytes.length} bytes.`);
  }
  return bytes;
}

function toText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
