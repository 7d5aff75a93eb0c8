/** A sealed message as it is sent. */
export interface AddressedEnvelope {
  /** UUID of an agent. */
  readonly recipient_id: string;
  /** UUID, chosen by the sender: the idempotency key. */
  readonly client_message_id: string;
  readonly encryption_version: 'box-v1';
  /** 24 bytes in canonical base64. */
  readonly nonce: string;
  /** 16 to 16,384 bytes in canonical base64. */
  readonly ciphertext: string;
  /** X25519, 32 bytes in canonical base64. */
  readonly sender_public_key: string;
  /** X25519, 32 bytes in canonical base64. */
  readonly recipient_public_key: string;
}

/** A sealed message as the server stores it. */
export interface Message extends AddressedEnvelope {
  /** UUID, made by the server. */
  readonly id: string;
  /** UUID of an agent. */
  readonly sender_id: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
  /** ISO 8601 in UTC, with milliseconds; the content is removed at this time, 90 days after sending. */
  readonly expires_at: string;
}
