import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/**
 * Message envelopes. The content is removed when it expires; the row stays, so that neither the sender's id for the
 * message nor its nonce can be used again.
 */
export const MessagesTable = defineEntity({
  name: 'MessageRow',
  tableName: 'messages',
  properties: {
    sender_id: p.uuid().primary(),
    client_message_id: p.uuid().primary(),
    id: p.uuid(),
    /** Identifies the dialog, because two agents have a single permanent contact. */
    contact_id: p.uuid(),
    recipient_id: p.uuid(),
    nonce: p.blob(),
    /** Null once retention has removed it. */
    ciphertext: p.blob().nullable(),
    sender_public_key: p.text(),
    recipient_public_key: p.text(),
    created_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
  indexes: [
    // Lists a dialog by id, because ids are ordered by time (§1.23). Messages without content are not in the index.
    sqlIndex('messages_of_contact_index', ['contact_id'], 'messages (contact_id, id) where ciphertext is not null'),
    sqlIndex('messages_expiring_index', ['expires_at'], 'messages (expires_at) where ciphertext is not null'),
  ],
  uniques: [
    // Covers both directions, because the two agents share one secret (§4.31).
    { name: 'messages_nonce_unique', properties: ['contact_id', 'nonce'] },
  ],
});
