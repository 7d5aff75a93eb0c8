import { encryptionVersion, type Message } from '@agent-platform/contract';
import { timestamp } from '../store/decode.ts';
import { encode, type KeptEnvelope } from './envelope.ts';

/** A message as it is stored. */
export interface StoredMessage extends KeptEnvelope {
  readonly id: string;
  readonly sender_id: string;
  readonly client_message_id: string;
  readonly created_at: Date | string;
  readonly expires_at: Date | string;
}

/** A message whose content is still there. */
export type RetainedMessage = StoredMessage & { readonly ciphertext: Uint8Array };

/** A message as both of its agents see it (D-10), with the very bytes that were sent. */
export function showMessage(message: RetainedMessage): Message {
  return {
    id: message.id,
    sender_id: message.sender_id,
    recipient_id: message.recipient_id,
    client_message_id: message.client_message_id,
    encryption_version: encryptionVersion,
    nonce: encode(message.nonce),
    ciphertext: encode(message.ciphertext),
    sender_public_key: message.sender_public_key,
    recipient_public_key: message.recipient_public_key,
    created_at: timestamp(message.created_at),
    expires_at: timestamp(message.expires_at),
  };
}
