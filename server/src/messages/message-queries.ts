import * as api from '@agent-platform/contract';
import { sql } from 'kysely';
import { type FriendContact, findContactBetween, selectFriendSql } from '../contacts/contact-queries.ts';
import type { Page } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { prepareSqlText } from '../store/statements/prepared.ts';
import type { BatchedStatement, Reader } from '../store/store.ts';
import type { RetainedMessage, StoredMessage } from './message-view.ts';

const columns = `
  messages.id, messages.sender_id, messages.recipient_id, messages.client_message_id, messages.nonce,
  messages.ciphertext, messages.sender_public_key, messages.recipient_public_key, messages.created_at, messages.expires_at`;

/** Finds a message of a sender ($1) by its client_message_id ($2), even if the message has expired. */
export const messageByClientIdStatement = prepareSqlText<StoredMessage>(
  'message-by-client-id',
  `select ${columns} from messages where sender_id = $1 and client_message_id = $2`,
);

type MessageContext = (StoredMessage | { readonly id: null }) & (FriendContact | { readonly contact_id: null });

/** Finds a sender's message by its client_message_id, even if expired, and the recipient if it is a friend. */
export const messageContextStatement: BatchedStatement<MessageContext> = prepareBatchedQuery(
  'message-context',
  { sender_id: 'uuid', client_message_id: 'uuid', first_id: 'uuid', second_id: 'uuid', friend_id: 'uuid' },
  (parameter) =>
    `select ${columns}, friend.contact_id, friend.key
     from (select) as asked
     left join messages on messages.sender_id = ${parameter('sender_id')}
       and messages.client_message_id = ${parameter('client_message_id')}
     left join (${selectFriendSql(parameter('first_id'), parameter('second_id'), parameter('friend_id'))}) as friend on true`,
);

/**
 * Lists the messages with a peer that are retained at `now`, newest first, starting after the message `before`. Without
 * a contact, the response is `not_found`, whether or not the peer exists (§4.39).
 */
export async function listMessages(
  reader: Reader,
  agentId: string,
  { peer, before }: api.QueryOf<typeof api.listMessages>,
  now: Date,
): Promise<Page<RetainedMessage>> {
  const contact = await findContactBetween(reader, agentId, peer);
  if (contact === undefined) {
    const hint = 'List the contacts with GET /api/v1/contacts.';
    throw new Refusal('not_found', `This agent has no contact with this peer. ${hint}`);
  }
  if (before !== undefined && !(await isInDialog(reader, contact.id, before, now))) {
    throw new Refusal('not_found', '`before` is not the id of a message in this conversation. Restart without it.');
  }
  const { rows } = await sql<RetainedMessage>`
    select ${sql.raw(columns)} from messages
    where contact_id = ${contact.id} ${before === undefined ? sql`` : sql`and id < ${before}`}
      and ciphertext is not null and expires_at > ${now}
    order by id desc limit ${api.limits.messagesPageMax + 1}`.execute(reader);
  return { items: rows.slice(0, api.limits.messagesPageMax), hasMore: rows.length > api.limits.messagesPageMax };
}

// A message without content cannot be a cursor, because no older message is retained.
async function isInDialog(reader: Reader, contactId: string, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages where contact_id = ${contactId} and id = ${id}
      and ciphertext is not null and expires_at > ${now}`.execute(reader);
  return rows.length > 0;
}
