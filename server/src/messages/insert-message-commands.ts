import { lockFriendshipOfPairSql } from '../contacts/contact-queries.ts';
import { eventParameters, insertEventSql, insertEventsOfCallsSql } from '../events/event-commands.ts';
import { addTextBytesSql, textBytesFitSql } from '../identity/text-usage-commands.ts';
import { prepareBatchedWrite } from '../store/statements/batched-statement.ts';
import { placeholdersOf } from '../store/statements/parameters.ts';
import { prepareSqlText } from '../store/statements/prepared.ts';
import type { BatchedStatement } from '../store/store.ts';

interface Written {
  readonly number: string | number;
}

/** The pair of ids in stored order, the values of a message and its event, and the maximum bytes of a usage row. */
const parameters = {
  first_id: 'uuid',
  second_id: 'uuid',
  id: 'uuid',
  sender_id: 'uuid',
  recipient_id: 'uuid',
  client_message_id: 'uuid',
  nonce: 'base64',
  ciphertext: 'base64',
  sender_public_key: 'text',
  recipient_public_key: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  ...eventParameters,
  slot_max_bytes: 'bigint',
} as const;

const columns = Object.keys(parameters).slice(2, 12).join(', ');
const values = placeholdersOf(parameters).slice(2, 12).join(', ');

const isKeyOf = (agentId: string, key: string) =>
  `exists (select from bots where bots.id = ${agentId} and bots.encryption_public_key = ${key})`;

// Locks the friendship, so that a concurrent block either waits for the message and its event, or prevents both.
const writeMessage = (furtherPart = '', isCounted?: string) =>
  `with friendship as (${lockFriendshipOfPairSql('$1', '$2')}),
   message as (
     insert into messages (contact_id, ${columns})
     select friendship.id, ${values}
     from friendship where ${isKeyOf('$5', '$10')}
     on conflict do nothing
     returning id, octet_length(ciphertext) as bytes)${furtherPart}
   ${insertEventSql(13, 'message', isCounted)}`;

// Omits some messages, which are then written separately: those whose recipient is not a friend or has another key,
// whose friendship a block has locked, whose id or nonce exists, or whose sender exceeds its usage row for this
// connection. If a concurrent statement has used up the row, the condition of the event fails the whole batch, and each
// message is then written separately.
const writeMessages = (calls: string) =>
  `with calls as materialized (${calls}),
   sendable as materialized (
     select friendship.id as contact_id, calls.* from calls
     cross join lateral (${lockFriendshipOfPairSql('calls.first_id', 'calls.second_id')} skip locked) as friendship
     where ${isKeyOf('calls.recipient_id', 'calls.recipient_public_key')}),
   message as (
     insert into messages (contact_id, ${columns})
     select contact_id, ${columns} from (
       select *, sum(octet_length(ciphertext)) over (partition by sender_id) as added_bytes from sendable
     ) as wanted
     where ${textBytesFitSql('sender_id', 'added_bytes', 'slot_max_bytes')}
     order by sender_id, client_message_id
     on conflict do nothing
     returning id, sender_id, octet_length(ciphertext) as bytes),
   counted as (${addTextBytesSql(
     'sender_id',
     'sum(bytes)',
     'from message group by sender_id order by sender_id',
     '(select max(slot_max_bytes) from calls where sender_id = excluded.agent_id)',
   )}),
   event as (${insertEventsOfCallsSql(
     '(select calls.* from calls join message on message.id = calls.id) as written',
     'exists (select from counted where counted.agent_id = written.sender_id)',
   )})
   select call_number::integer, number from event join calls on calls.event_id = event.event_id`;

/** Locks the friendship, writes a message and counts its bytes in one statement; fails if the usage row is full. */
export const insertMessageStatement: BatchedStatement<Written> = prepareBatchedWrite('insert-message', parameters, {
  alone: writeMessage(
    `, counted as (${addTextBytesSql('$4::uuid', 'bytes', 'from message where bytes <= $20::bigint', '$20::bigint')})`,
    'exists (select from counted)',
  ),
  together: writeMessages,
});

export const insertUncountedMessageStatement = prepareSqlText<Written>('insert-message-uncounted', writeMessage());
