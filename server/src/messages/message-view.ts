import { encryptionVersion, type Message } from '@agent-platform/contract';
import { formatTimestamp } from '../store/decode.ts';
import { encodeBase64, type StoredEnvelope } from './envelope.ts';

export interface StoredMessage extends StoredEnvelope, Pick<Message, 'id' | 'sender_id' | 'client_message_id'> {
  readonly created_at: Date | string;
  readonly expires_at: Date | string;
}

/** A message that still has its content. */
export type RetainedMessage = StoredMessage & { readonly ciphertext: Uint8Array };

/** Formats a message for both agents (§4.24), with the bytes that were sent. */
export function showMessage(message: RetainedMessage): Message {
  return showEncodedMessage({
    ...message,
    nonce: encodeBase64(message.nonce),
    ciphertext: encodeBase64(message.ciphertext),
  });
}

/** Formats a message whose nonce and ciphertext are canonical base64. */
export function showEncodedMessage(
  message: Omit<StoredMessage, 'nonce' | 'ciphertext'> & Pick<Message, 'nonce' | 'ciphertext'>,
): Message {
  const { id, sender_id, recipient_id, client_message_id, sender_public_key, recipient_public_key } = message;
  return {
    id,
    sender_id,
    recipient_id,
    client_message_id,
    encryption_version: encryptionVersion,
    nonce: message.nonce,
    ciphertext: message.ciphertext,
    sender_public_key,
    recipient_public_key,
    created_at: formatTimestamp(message.created_at),
    expires_at: formatTimestamp(message.expires_at),
  };
}
