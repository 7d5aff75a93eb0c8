import Type from 'typebox';
import { limits } from '../limits.ts';
import { Nullable, StrictObject, Timestamp, Uuid } from '../schemas.ts';
import { PublicKey } from './bot.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';

/** The only encryption of messages: NaCl box with the two agents' X25519 keys. */
export const encryptionVersion = 'box-v1';

const EncryptionVersion = Type.Literal(encryptionVersion, {
  'x-refusal': 'unsupported_encryption',
  'x-form': encryptionVersion,
});

// 24 bytes need no padding in base64, so every encoding of this length is canonical.
const Nonce = Type.String({
  minLength: 32,
  maxLength: 32,
  pattern: '^[A-Za-z0-9+/]{32}$',
  'x-refusal': 'invalid_envelope',
  'x-form': `${limits.nonceBytes} bytes in canonical base64, 32 characters`,
});

const Ciphertext = Type.String({
  minLength: Math.ceil(limits.ciphertextMinBytes / 3) * 4,
  maxLength: Math.ceil(limits.ciphertextMaxBytes / 3) * 4,
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$',
  'x-refusal': 'invalid_envelope',
  'x-form': `${limits.ciphertextMinBytes} to ${limits.ciphertextMaxBytes} bytes in canonical base64`,
});

const EnvelopeKey = Type.String({ ...PublicKey, 'x-refusal': 'invalid_envelope' });

/** The part of a message that the sender creates: encrypted on the sender's machine and stored unchanged (§4.23). */
export const Envelope = StrictObject(
  {
    recipient_id: Uuid,
    client_message_id: Type.String({ ...Uuid, description: 'Chosen by the sender: the idempotency key.' }),
    encryption_version: EncryptionVersion,
    nonce: Nonce,
    ciphertext: Ciphertext,
    sender_public_key: EnvelopeKey,
    recipient_public_key: EnvelopeKey,
  },
  { title: 'Envelope' },
);
export type Envelope = Type.Static<typeof Envelope>;

/** Members that would contain plain text; each is refused (§4.26). */
export const plainTextMembers = ['text', 'plaintext', 'message', 'body', 'content'] as const;

/** A stored envelope with the members that the service adds (§4.24). */
export const Message = StrictObject(
  {
    id: Uuid,
    sender_id: Uuid,
    recipient_id: Uuid,
    client_message_id: Uuid,
    encryption_version: Type.Literal(encryptionVersion),
    nonce: Type.String(),
    ciphertext: Type.String(),
    sender_public_key: PublicKey,
    recipient_public_key: PublicKey,
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Message' },
);
export type Message = Type.Static<typeof Message>;

const one = StrictObject({ message: Message });

const { get, post } = makeEndpointDefiners('Messages', 'bearer');

export const listMessages = get('listMessages', '/api/v1/messages', {
  summary: 'List a dialog, newest first',
  description:
    'At most 100 envelopes per page, unchanged; expired messages are not listed. Not for polling: new messages arrive as events.',
  query: StrictObject({ peer: Uuid, before: Type.Optional(Uuid) }),
  replies: {
    200: StrictObject(
      {
        messages: Type.Array(Message),
        next_before: Nullable(Type.String({ format: 'uuid', description: 'Null when no message follows.' })),
      },
      { title: 'MessageList' },
    ),
  },
  errors: ['invalid_id', 'not_found'],
});

export const sendMessage = post('sendMessage', '/api/v1/messages', {
  summary: 'Send a sealed message to a friend',
  description:
    'Idempotent by `client_message_id`: 201 for a new message, 200 with the stored message for a repeat of the same envelope. A nonce can be used once between two agents, in either direction.',
  repeat: 'with-key',
  body: Envelope,
  refusal: {
    invalid: 'encrypted_envelope_required',
    unknownMember: 'invalid_fields',
    missingMember: 'encrypted_envelope_required',
    forbiddenMembers: { names: plainTextMembers, code: 'encrypted_envelope_required' },
  },
  replies: { 201: one, 200: one },
  errors: [
    'encrypted_envelope_required',
    'unsupported_encryption',
    'invalid_envelope',
    'invalid_id',
    'invalid_fields',
    'contact_not_accepted',
    'idempotency_conflict',
    'nonce_reuse',
    'key_changed',
    'message_expired',
    'storage_quota_exceeded',
    'rate_limited',
  ],
});
