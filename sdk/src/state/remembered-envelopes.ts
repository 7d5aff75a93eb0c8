import { decodeBase64, encodeHex } from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';
import type { OutboxEntry, RememberedEnvelope } from './client-state.ts';

export function hashCiphertext(ciphertext: string): string {
  return encodeHex(sha256(decodeBase64(ciphertext) ?? new TextEncoder().encode(ciphertext)));
}

/** Converts an outbox entry to the remembered envelope that is stored before the entry is sent. */
export function toRememberedEnvelope({ envelope, kept_at }: OutboxEntry): RememberedEnvelope {
  return {
    peer_key: envelope.recipient_public_key,
    nonce: envelope.nonce,
    direction: 'sent',
    message_id: null,
    ciphertext_sha256: hashCiphertext(envelope.ciphertext),
    at_ms: parseTimestampMs(kept_at),
  };
}

/** Converts a timestamp to milliseconds since 1970; 0 if it is invalid. */
export function parseTimestampMs(timestamp: string): number {
  const milliseconds = Date.parse(timestamp);
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}

/**
 * Whether a remembered envelope gets its message id now: it was sealed here and is read from the server for the first
 * time.
 */
export function acceptsMessageId(remembered: RememberedEnvelope, read: RememberedEnvelope): boolean {
  const isSame = remembered.direction === read.direction && remembered.ciphertext_sha256 === read.ciphertext_sha256;
  return isSame && remembered.message_id === null && read.message_id !== null;
}
