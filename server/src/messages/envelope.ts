import { type Envelope, limits } from '@agent-platform/contract';
import { Refusal } from '../platform/refusal.ts';

/** The stored fields of an envelope that are compared with those of a repeat. */
export interface StoredEnvelope extends Pick<Envelope, 'recipient_id' | 'sender_public_key' | 'recipient_public_key'> {
  readonly nonce: Uint8Array;
  /** Null once the content has expired. */
  readonly ciphertext: Uint8Array | null;
}

/** The text must be canonical base64. */
export function countBase64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  return (text.length / 4) * 3 - padding;
}

/** Checks the exact number of bytes; the schema limits the base64 characters, which is exact only to three bytes. */
export function findCiphertextSizeFault({ ciphertext }: Pick<Envelope, 'ciphertext'>): Refusal | undefined {
  const bytes = countBase64Bytes(ciphertext);
  if (bytes >= limits.ciphertextMinBytes && bytes <= limits.ciphertextMaxBytes) return undefined;
  return new Refusal(
    'invalid_envelope',
    `ciphertext must have ${limits.ciphertextMinBytes} to ${limits.ciphertextMaxBytes} bytes but has ${bytes}.`,
  );
}

/** Compares the keys of an envelope with the registered keys of the two agents (§4.32). */
export function findEnvelopeKeyFault(sent: Envelope, senderKey: string, recipientKey: string): Refusal | undefined {
  if (sent.sender_public_key !== senderKey) {
    return new Refusal('key_changed', 'sender_public_key is not the registered key of this agent.');
  }
  if (sent.recipient_public_key === recipientKey) return undefined;
  return new Refusal(
    'key_changed',
    'recipient_public_key is not the registered key of the recipient. Compare fingerprints before you seal again.',
  );
}

/**
 * Compares an envelope with the stored one that has the same `client_message_id`. If there is no fault, the envelope is
 * a repeat, and the response is the stored message.
 */
export function findEnvelopeRepeatFault(stored: StoredEnvelope, sent: Envelope, isOver: boolean): Refusal | undefined {
  if (isOver || stored.ciphertext === null) {
    return new Refusal('message_expired', 'The content of this message has expired, and its id cannot be reused.');
  }
  const isSame =
    stored.recipient_id === sent.recipient_id &&
    stored.sender_public_key === sent.sender_public_key &&
    stored.recipient_public_key === sent.recipient_public_key &&
    encodeBase64(stored.nonce) === sent.nonce &&
    encodeBase64(stored.ciphertext) === sent.ciphertext;
  if (isSame) return undefined;
  return new Refusal(
    'idempotency_conflict',
    'This client_message_id belongs to another envelope. Send exactly the same envelope again: a new id would send a second message.',
  );
}

/** Encodes bytes as canonical base64 (§1.21), so that equal bytes give equal text. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
