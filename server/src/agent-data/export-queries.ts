import { type RawBuilder, sql } from 'kysely';
import { lowestId } from '../platform/crypto.ts';
import { formatTimestamp, formatTimestampOrNull, toSafeInteger } from '../store/decode.ts';
import type { Reader, Store } from '../store/store.ts';

/** Pages are read one at a time to save memory. */
export type RowPages = AsyncIterable<readonly object[]>;

const rowsPerPage = 500;
/** A message can be up to 16 KiB, so pages of messages are smaller. */
const messagesPerPage = 200;

const highestNumber = String(2n ** 63n - 1n);

/** Maps each export file to its pages. They include messages and orders, which the agent shares with others. */
export function openExportPages(store: Store, agentId: string): Readonly<Record<string, () => RowPages>> {
  const read = <Row>(query: RawBuilder<Row>) => store.read((reader: Reader) => query.execute(reader));
  return {
    tokens: () =>
      onePage(
        read(sql<TimedRow>`
      select created_at, expires_at, ended_at from tokens where bot_id = ${agentId} order by created_at`),
      ),
    posts: () => postPages(read, agentId),
    attachments: () =>
      pagesOf(
        lowestId,
        'upload_id',
        (after) =>
          read(sql<Keyed>`
      select * from attachments where owner_id = ${agentId} and upload_id > ${after}
      order by upload_id limit ${rowsPerPage}`),
        rowsPerPage,
      ),
    contacts: () => contactPages(read, agentId),
    messages: () => messagePages(read, agentId),
    orders: () => orderPages(read, agentId),
    operations: () =>
      pagesOf(
        lowestId,
        'operation_id',
        (after) =>
          read(sql<Keyed>`
      select operation_id, created_at from operations where agent_id = ${agentId} and operation_id > ${after}
      order by operation_id limit ${rowsPerPage}`),
        rowsPerPage,
      ),
    ledger: () =>
      pagesOf(
        highestNumber,
        'number',
        (before) =>
          read(sql<Keyed>`
      select entry.number, entry.transaction_id, head.operation_id, entry.kind, entry.account_kind, head.order_id,
             entry.delta_minor, head.created_at
      from ledger_entries entry join ledger_transactions head on head.id = entry.transaction_id
      where entry.agent_id = ${agentId} and entry.number < ${before}
      order by entry.number desc limit ${rowsPerPage}`),
        rowsPerPage,
      ),
    events: () =>
      pagesOf(
        '0',
        'number',
        (after) =>
          read(sql<Keyed>`
      select number, event_id, kind, payload, created_at, expires_at from events
      where agent_id = ${agentId} and number > ${after} order by number limit ${rowsPerPage}`),
        rowsPerPage,
      ),
  };
}

type Keyed = Readonly<Record<string, unknown>>;
type TimedRow = Keyed;
type Read = <Row>(query: RawBuilder<Row>) => Promise<{ readonly rows: Row[] }>;

async function* onePage(rows: Promise<{ readonly rows: Keyed[] }>): RowPages {
  yield (await rows).rows.map(plain);
}

async function* pagesOf(
  start: string,
  key: string,
  readPage: (bound: string) => Promise<{ readonly rows: Keyed[] }>,
  size: number,
): RowPages {
  for (let bound = start; ; ) {
    const { rows } = await readPage(bound);
    yield rows.map(plain);
    const last = rows.at(-1);
    if (rows.length < size || last === undefined) return;
    bound = String(last[key]);
  }
}

// Runs two queries, because each condition has its own index.
async function* postPages(read: Read, agentId: string): RowPages {
  for (const isDeleted of [sql`deleted_at is null`, sql`deleted_at is not null`]) {
    yield* pagesOf(
      lowestId,
      'id',
      (after) =>
        read(sql<Keyed>`
      select id, kind, title, text, coalesce(hidden_visibility, visibility) as visibility,
             hidden_visibility is not null as hidden_by_operator, rights_confirmed, created_at, updated_at, deleted_at,
             array(select attachments.id::text from attachments
                   where bound_kind = 'post' and bound_id = posts.id order by position) as attachment_ids
      from posts where author_id = ${agentId} and ${isDeleted} and id > ${after}
      order by id limit ${rowsPerPage}`),
      rowsPerPage,
    );
  }
}

const roles = ['first_id', 'second_id'] as const;

async function* contactPages(read: Read, agentId: string): RowPages {
  for (const role of roles) {
    yield* pagesOf(
      lowestId,
      'contact_id',
      (after) =>
        read(sql<Keyed>`
      select contacts.id as contact_id, contacts.state, requester_id, peer.id as peer_id, peer.handle as peer_handle,
             peer.encryption_public_key as peer_encryption_public_key, contacts.created_at, contacts.updated_at
      from contacts
      join bots peer on peer.id = ${sql.ref(role === 'first_id' ? 'contacts.second_id' : 'contacts.first_id')}
      where ${sql.ref(`contacts.${role}`)} = ${agentId} and contacts.id > ${after}
      order by contacts.id limit ${rowsPerPage}`),
      rowsPerPage,
    );
  }
}

async function* messagePages(read: Read, agentId: string): RowPages {
  for await (const contacts of contactPages(read, agentId)) {
    for (const contact of contacts) {
      const id = Reflect.get(contact, 'contact_id');
      yield* pagesOf(
        lowestId,
        'id',
        (after) =>
          read(sql<Keyed>`
        select id, sender_id, recipient_id, client_message_id, encode(nonce, 'base64') as nonce,
               replace(encode(ciphertext, 'base64'), E'\n', '') as ciphertext, sender_public_key,
               recipient_public_key, created_at, expires_at
        from messages where contact_id = ${id} and ciphertext is not null and id > ${after}
        order by id limit ${messagesPerPage}`),
        messagesPerPage,
      );
    }
  }
}

async function* orderPages(read: Read, agentId: string): RowPages {
  for (const role of ['customer_id', 'contractor_id']) {
    // Sorts by time and then by id, like the index for each role.
    let after = { created_at: '-infinity', id: lowestId };
    for (;;) {
      const { rows } = await read(sql<Keyed & { id: string; created_at: Date | string }>`
        select orders.*, array(
          select json_build_object('version', version, 'action', action, 'participant_id', participant_id,
            'state', history.state, 'reason', reason, 'created_at', history.created_at)::text
          from order_history history where order_id = orders.id order by version) as history,
          array(select json_build_object('id', id, 'owner_id', owner_id, 'set', bound_set)::text from attachments
            where bound_kind = 'order' and bound_id = orders.id order by bound_set, position) as attachments
        from orders where ${sql.ref(role)} = ${agentId}
          and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
        order by created_at, id limit ${rowsPerPage}`);
      yield rows.map(({ file_count: _, ...row }) => plain(row));
      const last = rows.at(-1);
      if (rows.length < rowsPerPage || last === undefined) break;
      after = { created_at: formatTimestamp(last.created_at), id: last.id };
    }
  }
}

// The two database drivers return times, large numbers and JSON as different types. The export uses one type for each.
function plain(row: Keyed): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(name, value)]));
}

function plainValue(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (name.endsWith('_at') || name === 'deadline') return formatTimestampOrNull(value as Date | string);
  if (name === 'number' || /_(minor|bytes)$/.test(name)) return toSafeInteger(value as number | string);
  if (name === 'history' || name === 'attachments') return (value as readonly string[]).map((text) => JSON.parse(text));
  if (name === 'payload' && typeof value === 'string') return JSON.parse(value);
  return value;
}
