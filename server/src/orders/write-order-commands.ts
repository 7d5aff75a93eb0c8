import { lockFriendshipSql } from '../contacts/contact-queries.ts';
import { insertEventsOfJsonSql } from '../events/event-commands.ts';
import { addTextBytesSql, textBytesFitSql } from '../identity/text-usage-commands.ts';
import { ledgerParameters, lockWalletsSql, moveCreditsSql } from '../ledger/ledger-commands.ts';
import { prepareBatchedWrite } from '../store/statements/batched-statement.ts';

/** The numbers of the events that a statement wrote, by event id, as JSON; null if it wrote none. */
export interface WrittenOrderEvents {
  readonly numbers: string | null;
}

/** The parameters that all statements share: the operation, the new version of the order, and the events. */
const shared = {
  agent_id: 'uuid',
  /** Null for the server's own commands, which are never repeated. */
  operation_id: 'uuid',
  fingerprint: 'text',
  answer: 'json',
  now: 'timestamptz',
  order_id: 'uuid',
  version: 'bigint',
  action: 'text',
  state: 'text',
  reason: 'text',
  file_count: 'bigint',
  events: 'json',
  /** The number of bytes in new texts; null if the same transaction counts them later. */
  text_bytes: 'bigint',
  /** The maximum number of bytes that a usage row may count. */
  slot_max_bytes: 'bigint',
} as const;

const terms = {
  customer_id: 'uuid',
  contractor_id: 'uuid',
  title: 'text',
  description: 'text',
  deadline: 'timestamptz',
  amount_minor: 'bigint',
  fee_minor: 'bigint',
  total_minor: 'bigint',
  fee_bps: 'bigint',
} as const;

const addedParameters = { ...shared, ...terms, contact_id: 'uuid' } as const;
const changedParameters = { ...shared, outcome: 'text', result_text: 'text' } as const;
const paidParameters = { ...changedParameters, contact_id: 'uuid', ...ledgerParameters } as const;

type Wait = '' | 'skip locked';

function addText(calls: string, wait: Wait): string {
  return `with ${firstText(calls, wait)},
   ${friendshipText('first_calls', wait)},
   ${appliedText('with_friendship')},
   inserted_orders as (
     insert into orders (id, author_id, state, version, file_count, created_at, updated_at, ${Object.keys(terms).join(', ')})
     select order_id, agent_id, state, version, file_count, now, now, ${Object.keys(terms).join(', ')} from applied),
   ${recordText}`;
}

function changeText(calls: string, wait: Wait): string {
  return `with ${firstText(calls, wait)},
   ${lockedOrdersText(wait)},
   ${appliedText('locked_orders')},
   ${changedText},
   ${recordText}`;
}

function payText(calls: string, wait: Wait): string {
  return `with ${firstText(calls, wait)},
   ${lockedOrdersText(wait)},
   ${friendshipText('locked_orders', wait)},
   ${lockWalletsSql('with_friendship', wait)},
   ${appliedText('with_locked_wallets')},
   ${changedText},
   ${moveCreditsSql('applied')},
   ${recordText}`;
}

/**
 * `first_calls`: the first call for each order and each operation, except those of agents that exceed their usage row
 * for this connection.
 */
function firstText(calls: string, wait: Wait): string {
  if (wait === '') return `first_calls as materialized (${calls})`;
  return `first_calls as materialized (
     select * from (
       select *, row_number() over (partition by order_id order by call_number) as of_order,
         row_number() over (partition by agent_id, operation_id order by call_number) as of_operation,
         sum(text_bytes) over (partition by agent_id) as added_bytes
       from (${calls}) calls
     ) numbered where of_order = 1 and of_operation = 1
       and (coalesce(text_bytes, 0) = 0 or ${textBytesFitSql('numbered.agent_id', 'added_bytes', 'slot_max_bytes')}))`;
}

/** Selects the calls whose order is still at the previous version, and locks these orders. */
function lockedOrdersText(wait: Wait): string {
  return `locked_orders as materialized (
     select first_calls.* from (select * from first_calls order by order_id) first_calls cross join lateral (
       select id from orders where id = first_calls.order_id and version = first_calls.version - 1
       limit 1 for no key update ${wait}) as locked)`;
}

/** Omits calls whose agents must be friends but are not, and locks the friendships. */
function friendshipText(calls: string, wait: Wait): string {
  return `with_friendship as materialized (
     select ${calls}.* from (select * from ${calls} order by contact_id) ${calls} left join lateral (
       ${lockFriendshipSql(`${calls}.contact_id`)} ${wait}) as friendship on true
     where ${calls}.contact_id is null or friendship.id is not null)`;
}

/**
 * Selects the calls to apply, and inserts their operations as claimed_operations. A concurrent duplicate waits on the
 * unique index until this transaction ends.
 */
function appliedText(calls: string): string {
  return `claimed_operations as (
     insert into operations (agent_id, operation_id, fingerprint, answer, order_id, created_at)
     select agent_id, operation_id, fingerprint, answer, order_id, now from ${calls}
     where operation_id is not null order by agent_id, operation_id
     on conflict do nothing returning agent_id, operation_id),
   applied as materialized (
     select ${calls}.* from ${calls} left join claimed_operations
       on claimed_operations.agent_id = ${calls}.agent_id and claimed_operations.operation_id = ${calls}.operation_id
     where ${calls}.operation_id is null or claimed_operations.operation_id is not null)`;
}

const changedText = `changed_orders as (
     update orders set version = applied.version, state = applied.state, outcome = applied.outcome,
       result_text = coalesce(applied.result_text, orders.result_text), file_count = applied.file_count, updated_at = applied.now,
       refund_proposed_by = case when applied.action = 'propose-refund' then applied.agent_id else refund_proposed_by end,
       refund_reason = case when applied.action = 'propose-refund' then applied.reason else refund_reason end,
       refund_proposed_at = case when applied.action = 'propose-refund' then applied.now else refund_proposed_at end
     from applied where orders.id = applied.order_id)`;

const recordText = `inserted_history as (
     insert into order_history (order_id, version, action, participant_id, state, reason, created_at)
     select order_id, version, action, agent_id, state, reason, now from applied order by order_id),
   counted_texts as (${addTextBytesSql(
     'agent_id',
     'bytes',
     `from (
       select agent_id, sum(text_bytes) as bytes, max(slot_max_bytes) as max_bytes from applied
       where text_bytes > 0 group by agent_id
     ) texts where bytes <= max_bytes order by agent_id`,
     '(select max(slot_max_bytes) from applied where agent_id = excluded.agent_id)',
   )}),
   inserted_events as (${insertEventsOfJsonSql(
     'applied',
     'coalesce(applied.text_bytes, 0) = 0 or applied.agent_id in (select agent_id from counted_texts)',
   )}, payload ->> 'order_id' as order_id)
   select applied.call_number::integer,
     json_object_agg(inserted_events.event_id, inserted_events.number) filter (where inserted_events.event_id is not null)::text as numbers
   from applied left join inserted_events on inserted_events.order_id = applied.order_id::text group by applied.call_number`;

// Each statement repeats the checks of its command (order version, friendship and balances), and writes everything or
// nothing. A call whose conditions are no longer met has no row in the result. If an agent's texts do not fit into its
// usage row, the statement fails (`isEventRefused`). Locks are acquired in this sequence: order, friendship, wallets by
// id, operation, files by id, text usage. A batch omits calls for locked rows and the second call for an order or an
// operation; they run separately.

export const addOrderStatement = prepareBatchedWrite<WrittenOrderEvents, keyof typeof addedParameters>(
  'add-order',
  addedParameters,
  {
    alone: (calls) => addText(calls, ''),
    together: (calls) => addText(calls, 'skip locked'),
  },
);

export const changeOrderStatement = prepareBatchedWrite<WrittenOrderEvents, keyof typeof changedParameters>(
  'change-order',
  changedParameters,
  { alone: (calls) => changeText(calls, ''), together: (calls) => changeText(calls, 'skip locked') },
);

/** If `contact_id` is given, the agents must be friends. */
export const changeOrderWithCreditsStatement = prepareBatchedWrite<WrittenOrderEvents, keyof typeof paidParameters>(
  'change-order-with-credits',
  paidParameters,
  { alone: (calls) => payText(calls, ''), together: (calls) => payText(calls, 'skip locked') },
);
