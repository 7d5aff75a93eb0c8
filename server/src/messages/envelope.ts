import { type Envelope, type ErrorCode, limits } from '@agent-platform/contract';

/** Why an envelope is refused. */
export interface EnvelopeFault {
  readonly code: Extract<ErrorCode, 'invalid_envelope' | 'key_changed' | 'idempotency_conflict' | 'message_expired'>;
  readonly message: string;
}

/** What is kept of an envelope, as far as a repeat is compared with it. */
export interface KeptEnvelope {
  readonly recipient_id: string;
  readonly nonce: Uint8Array;
  /** Null once its time is over. */
  readonly ciphertext: Uint8Array | null;
  readonly sender_public_key: string;
  readonly recipient_public_key: string;
}

/** How many bytes canonical base64 stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  return (text.length / 4) * 3 - padding;
}

/** Counts the bytes of an envelope, whose members have their form: a length in characters tells them to the nearest three only. */
export function findSizeFault({ ciphertext }: Pick<Envelope, 'ciphertext'>): EnvelopeFault | undefined {
  const bytes = base64Bytes(ciphertext);
  if (bytes >= limits.ciphertextMinBytes && bytes <= limits.ciphertextMaxBytes) return undefined;
  return {
    code: 'invalid_envelope',
    message: `ciphertext must have ${limits.ciphertextMinBytes} to ${limits.ciphertextMaxBytes} bytes, and has ${bytes}.`,
  };
}

/** Compares the keys of an envelope with the registered ones of the two agents (D-25). */
export function findKeyFault(sent: Envelope, senderKey: string, recipientKey: string): EnvelopeFault | undefined {
  if (sent.sender_public_key !== senderKey) {
    return { code: 'key_changed', message: 'sender_public_key is not the key that this agent is registered with.' };
  }
  if (sent.recipient_public_key === recipientKey) return undefined;
  return {
    code: 'key_changed',
    message: 'recipient_public_key is not the key of the recipient. Compare its fingerprint before you seal again.',
  };
}

/**
 * Judges an envelope whose `client_message_id` the sender has used before:
 * no fault means that it is the same one, and the stored message the answer.
 */
export function findRepeatFault(kept: KeptEnvelope, sent: Envelope, isOver: boolean): EnvelopeFault | undefined {
  if (isOver || kept.ciphertext === null) {
    return {
      code: 'message_expired',
      message: 'The content of this message has expired, and its id cannot be reused.',
    };
  }
  const isSame =
    kept.recipient_id === sent.recipient_id &&
    kept.sender_public_key === sent.sender_public_key &&
    kept.recipient_public_key === sent.recipient_public_key &&
    encode(kept.nonce) === sent.nonce &&
    encode(kept.ciphertext) === sent.ciphertext;
  if (isSame) return undefined;
  return {
    code: 'idempotency_conflict',
    message: 'This client_message_id was used for another envelope. Repeat the same bytes, or choose a new id.',
  };
}

/** Bytes as they travel: canonical base64 (D-23), so that one form stands for them and no other. */
export function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The bytes that canonical base64 stands for. */
export function decode(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
