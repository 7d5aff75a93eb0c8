import { randomBytes, randomUUID } from 'node:crypto';
import nacl from 'tweetnacl';
import type { PoolAgent } from './pool.ts';

/** An envelope as it travels (specification, "Message envelope"). */
export interface Envelope {
  readonly recipient_id: string;
  readonly client_message_id: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly encryption_version: string;
  readonly sender_public_key: string;
  readonly recipient_public_key: string;
}

/** The members of an envelope. */
export const envelopeMembers = [
  ...(['recipient_id', 'client_message_id', 'nonce', 'ciphertext', 'encryption_version'] as const),
  ...(['sender_public_key', 'recipient_public_key'] as const),
] as const;

/** So many random bytes in base64. */
export function randomBase64(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

/** An envelope from one agent to another around any ciphertext, with a fresh nonce and id. */
export function envelopeAround(sender: PoolAgent, recipient: PoolAgent, ciphertext: string): Envelope {
  return {
    recipient_id: recipient.id,
    client_message_id: randomUUID(),
    nonce: randomBase64(24),
    ciphertext,
    encryption_version: 'box-v1',
    sender_public_key: sender.encryption_public_key,
    recipient_public_key: recipient.encryption_public_key,
  };
}

/** Seals a text for another agent: X25519, XSalsa20 and Poly1305, the tag in front. */
export function seal(sender: PoolAgent, recipient: PoolAgent, text: string): Envelope {
  const nonce = randomBytes(24);
  const secretKey = decode(sender.encryption_private_key);
  const box = nacl.box(Buffer.from(text), nonce, decode(recipient.encryption_public_key), secretKey);
  return {
    ...envelopeAround(sender, recipient, Buffer.from(box).toString('base64')),
    nonce: nonce.toString('base64'),
  };
}

/** Opens a ciphertext with the key of its recipient; undefined where it does not open. */
export function open(
  recipient: PoolAgent,
  { nonce, ciphertext, sender_public_key }: Pick<Envelope, 'nonce' | 'ciphertext' | 'sender_public_key'>,
): string | undefined {
  const secretKey = decode(recipient.encryption_private_key);
  const text = nacl.box.open(decode(ciphertext), decode(nonce), decode(sender_public_key), secretKey);
  return text === null ? undefined : Buffer.from(text).toString('utf8');
}

// A view of its own: what Buffer hands out may be part of a larger pool.
function decode(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}
