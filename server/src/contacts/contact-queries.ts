import { limits } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { Refusal } from '../platform/refusal.ts';
import { formatTimestamp } from '../store/decode.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { formatArray } from '../store/statements/parameters.ts';
import { compileSqlText, prepareSql } from '../store/statements/prepared.ts';
import type { BatchedStatement, PageSource, Reader, Store, Writer } from '../store/store.ts';
import { sortAgentPair } from './contact.ts';
import type { PeerProfile, StoredContact } from './contact-view.ts';

const columns = sql`
  contacts.id, contacts.first_id, contacts.second_id, contacts.requester_id, contacts.state,
  contacts.created_at, contacts.updated_at`;

export function contactNotFoundRefusal(): Refusal {
  return new Refusal(
    'not_found',
    'This agent has no contact with this id. List the contacts with GET /api/v1/contacts.',
  );
}

export async function findContactBetween(reader: Reader, oneId: string, otherId: string) {
  const { first_id, second_id } = sortAgentPair(oneId, otherId);
  const { rows } = await sql<StoredContact>`
    select ${columns} from contacts where first_id = ${first_id} and second_id = ${second_id}`.execute(reader);
  return rows[0];
}

export async function areFriends(reader: Reader, oneId: string, otherId: string): Promise<boolean> {
  return (await findContactBetween(reader, oneId, otherId))?.state === 'friends';
}

/** `key` is the friend's public key. */
export interface FriendContact {
  readonly contact_id: string;
  readonly key: string;
}

/** SQL that selects a `FriendContact`. The first two parameters are the ids of both agents in ascending order. */
export function selectFriendSql(firstId: string, secondId: string, friendId: string): string {
  return `select contacts.id as contact_id, bots.encryption_public_key as key
   from contacts join bots on bots.id = ${friendId}
   where contacts.first_id = ${firstId} and contacts.second_id = ${secondId} and contacts.state = 'friends'`;
}

/**
 * SQL that locks the contact of two friends, so that a block waits until this transaction ends. Every transaction locks
 * agents and orders before contacts, and all other rows after them.
 */
export function lockFriendshipSql(contactId: string): string {
  return `select id from contacts where id = ${contactId} and state = 'friends' for share`;
}

/** Like `lockFriendshipSql`, but with the ids of both agents in ascending order instead of the contact id. */
export function lockFriendshipOfPairSql(firstId: string, secondId: string): string {
  return `select id from contacts where first_id = ${firstId} and second_id = ${secondId} and state = 'friends' for share`;
}

export async function findContact(reader: Reader, agentId: string, id: string): Promise<StoredContact | undefined> {
  const { rows } = await sql<StoredContact>`
    select ${columns} from contacts
    where id = ${id} and (first_id = ${agentId} or second_id = ${agentId})`.execute(reader);
  return rows[0];
}

/** The two agents of the contact must be locked already. */
export async function lockContact(writer: Writer, id: string): Promise<StoredContact> {
  const locking = sql<StoredContact>`select ${columns} from contacts where id = ${id} for update`;
  const [contact] = (await locking.execute(writer)).rows;
  if (contact === undefined) throw contactNotFoundRefusal();
  return contact;
}

const contactsWith = prepareSql(
  'contacts-with',
  sql<StoredContact>`
    select ${columns} from contacts where first_id = ${''} and second_id = any(${''}::uuid[])
    union all
    select ${columns} from contacts where second_id = ${''} and first_id = any(${''}::uuid[])`,
);

export async function findContactsWith(store: PageSource, agentId: string, otherIds: readonly string[]) {
  if (otherIds.length === 0) return [];
  const others = formatArray(otherIds);
  return await store.run(contactsWith, [agentId, others, agentId, others]);
}

type ListedContact = StoredContact & PeerProfile & { readonly peer_id: string };

/** Lists the newest contacts first. With `before`, lists only contacts that are older than that one. */
export async function listContacts(store: Store, agentId: string, before: string | undefined) {
  const rows =
    before === undefined
      ? await store.askAll(newestContacts, [agentId])
      : await store.read((reader) => findContactsBefore(reader, agentId, before));
  const shown = rows.slice(0, limits.contactsPageMax);
  const items = shown.map((row) => ({ contact: row, peer: { ...row, id: row.peer_id } }));
  return { items, hasMore: rows.length > limits.contactsPageMax };
}

// Reads one more row than a page needs, to find out whether another page follows.
const rowsOfPage = limits.contactsPageMax + 1;

const newestContacts: BatchedStatement<ListedContact> = prepareBatchedQuery(
  'newest-contacts',
  { agent_id: 'uuid' },
  (parameter) => compileSqlText(pageOfContacts(sql.raw(parameter('agent_id')), sql``)),
  rowsOfPage,
);

async function findContactsBefore(reader: Reader, agentId: string, before: string): Promise<readonly ListedContact[]> {
  const last = await findContact(reader, agentId, before);
  if (last === undefined) throw contactNotFoundRefusal();
  const older = sql`and (created_at, id) < (${formatTimestamp(last.created_at)}, ${last.id})`;
  return (await pageOfContacts(sql`${agentId}`, older).execute(reader)).rows;
}

// Merges two ordered index scans, because the agent may be the first or the second of the pair.
function pageOfContacts(agentId: RawBuilder<unknown>, older: RawBuilder<unknown>) {
  const newest = sql`${older} order by created_at desc, id desc limit ${sql.lit(rowsOfPage)}`;
  return sql<ListedContact>`
    select ${columns}, peer_id, peer.handle, peer.display_name, peer.encryption_public_key, peer.encryption_key_fingerprint
    from (
      (select ${columns}, second_id as peer_id from contacts where first_id = ${agentId} ${newest})
      union all
      (select ${columns}, first_id as peer_id from contacts where second_id = ${agentId} ${newest})
      order by created_at desc, id desc limit ${sql.lit(rowsOfPage)}
    ) contacts
    join bots peer on peer.id = peer_id
    order by contacts.created_at desc, contacts.id desc`;
}
