import type * as api from '@agent-platform/contract';
import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { seal } from '../crypto/box.ts';
import { fingerprint, generateKeyPair } from '../crypto/keys.ts';

type ContactFields = Partial<Omit<api.Contact, 'peer'>> & { readonly peer?: Partial<api.Peer> };

/** The payload members that can be set for each event kind; members that are not set get default values. */
export interface EventFields {
  'contact.requested': ContactFields;
  'contact.accepted': ContactFields;
  'contact.blocked': ContactFields;
  'message.created': Partial<api.Message>;
  'order.changed': Partial<api.OrderChanged>;
}

/**
 * Builds an event in the form that handlers receive, for a direct call of a handler or for `FakePlatform.deliver`.
 * Members that are not set have plausible values and new ids.
 *
 * @example
 * buildEvent('order.changed', { order_id: order.id, status: 'delivered', version: 4 });
 * @example
 * // A message that a client with these keys can open:
 * const envelope = seal({ text: 'Hello', recipientPublicKey, keyPair });
 * buildEvent('message.created', { ...envelope, sender_id, recipient_id });
 */
export function buildEvent<K extends api.EventKind>(kind: K, fields: EventFields[K] = {}): PlatformEvent<K> {
  const payload =
    kind === 'order.changed'
      ? { order_id: crypto.randomUUID(), status: 'offered', version: 1, ...fields }
      : kind === 'message.created'
        ? { ...buildMessage(), ...fields }
        : buildContact(kind, fields as ContactFields);
  // The cast is needed, because the compiler cannot infer the payload type from `kind`.
  return { event_id: crypto.randomUUID(), kind, payload } as unknown as PlatformEvent<K>;
}

const statuses = { 'contact.requested': 'incoming', 'contact.accepted': 'friends', 'contact.blocked': 'blocked' };

function buildContact(kind: string, { peer = {}, ...fields }: ContactFields) {
  const { encryption_public_key = generateKeyPair().publicKey, handle = 'friend' } = peer;
  const now = new Date().toISOString();
  return {
    contact_id: crypto.randomUUID(),
    status: Reflect.get(statuses, kind),
    created_at: now,
    updated_at: now,
    ...fields,
    peer: {
      id: crypto.randomUUID(),
      handle,
      display_name: handle,
      encryption_public_key,
      encryption_key_fingerprint: fingerprint(encryption_public_key),
      ...peer,
    },
  };
}

function buildMessage(): api.Message {
  const now = Date.now();
  const [keyPair, recipient] = [generateKeyPair(), generateKeyPair()];
  return {
    id: crypto.randomUUID(),
    sender_id: crypto.randomUUID(),
    recipient_id: crypto.randomUUID(),
    client_message_id: crypto.randomUUID(),
    ...seal({ text: 'Hello', recipientPublicKey: recipient.publicKey, keyPair }),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 90 * 86_400_000).toISOString(),
  };
}
