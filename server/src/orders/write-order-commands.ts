import { friendshipForShare } from '../contacts/contact-queries.ts';
import { insertEventsOfJsonText } from '../events/event-commands.ts';
import { addBytesSql, bytesFitSql } from '../identity/text-usage-commands.ts';
import { ledgerParameters, lockWalletsText, moveCreditsText } from '../ledger/ledger-commands.ts';
import { prepareBatchedWrite } from '../store/statements/batched-statement.ts';

/** The events that a statement wrote: their numbers by their ids, as JSON; null where there were none. */
export interface WrittenOrder {
  readonly numbers: string | null;
}

/** The operation of a command, the version that it makes, and its events. */
const shared = {
  agent_id: 'uuid',
  /** Null for a command of the server's own, which has no repeats. */
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
  /** Of new texts; none where they are counted in the same transaction later. */
  text_bytes: 'bigint',
  /** The bytes that a row of the usage may have. */
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
   ${friendlyText('first', wait)},
   ${doneText('friendly')},
   added as (
     insert into orders (id, author_id, state, version, file_count, created_at, updated_at, ${Object.keys(terms).join(', ')})
     select order_id, agent_id, state, version, file_count, now, now, ${Object.keys(terms).join(', ')} from done),
   ${recordText}`;
}

function changeText(calls: string, wait: Wait): string {
  return `with ${firstText(calls, wait)},
   ${heldText(wait)},
   ${doneText('held')},
   ${changedText},
   ${recordText}`;
}

function payText(calls: string, wait: Wait): string {
  return `with ${firstText(calls, wait)},
   ${heldText(wait)},
   ${friendlyText('held', wait)},
   ${lockWalletsText('friendly', wait)},
   ${doneText('payable')},
   ${changedText},
   ${moveCreditsText('done')},
   ${recordText}`;
}

/**
 * The calls; of several ones, the first for each order and for each operation, without those of agents that need more
 * than their part of the usage that this connection counts in.
 */
function firstText(calls: string, wait: Wait): string {
  if (wait === '') return `first as materialized (${calls})`;
  return `first as materialized (
     select * from (
       select *, row_number() over (partition by order_id order by call_number) as of_order,
         row_number() over (partition by agent_id, operation_id order by call_number) as of_operation,
         sum(text_bytes) over (partition by agent_id) as added_bytes
       from (${calls}) calls
     ) numbered where of_order = 1 and of_operation = 1
       and (coalesce(text_bytes, 0) = 0 or ${bytesFitSql('numbered.agent_id', 'added_bytes', 'slot_max_bytes')}))`;
}

/** The first calls whose order is at the version before; it is locked. */
function heldText(wait: Wait): string {
  return `held as materialized (
     select first.* from (select * from first order by order_id) first cross join lateral (
       select id from orders where id = first.order_id and version = first.version - 1
       limit 1 for no key update ${wait}) as locked)`;
}

/** The calls whose agents are friends, where they have to be. */
function friendlyText(calls: string, wait: Wait): string {
  return `friendly as materialized (
     select ${calls}.* from (select * from ${calls} order by contact_id) ${calls} left join lateral (
       ${friendshipForShare(`${calls}.contact_id`)} ${wait}) as friendship on true
     where ${calls}.contact_id is null or friendship.id is not null)`;
}

/**
 * The calls that are done: their operation is claimed. A concurrent duplicate waits on its unique index until this
 * transaction ends.
 */
function doneText(calls: string): string {
  return `claimed as (
     insert into operations (agent_id, operation_id, fingerprint, answer, order_id, created_at)
     select agent_id, operation_id, fingerprint, answer, order_id, now from ${calls}
     where operation_id is not null order by agent_id, operation_id
     on conflict do nothing returning agent_id, operation_id),
   done as materialized (
     select ${calls}.* from ${calls} left join claimed
       on claimed.agent_id = ${calls}.agent_id and claimed.operation_id = ${calls}.operation_id
     where ${calls}.operation_id is null or claimed.operation_id is not null)`;
}

const changedText = `changed as (
     update orders set version = done.version, state = done.state, outcome = done.outcome,
       result_text = coalesce(done.result_text, orders.result_text), file_count = done.file_count, updated_at = done.now,
       refund_proposed_by = case when done.action = 'propose-refund' then done.agent_id else refund_proposed_by end,
       refund_reason = case when done.action = 'propose-refund' then done.reason else refund_reason end,
       refund_proposed_at = case when done.action = 'propose-refund' then done.now else refund_proposed_at end
     from done where orders.id = done.order_id)`;

const recordText = `recorded as (
     insert into order_history (order_id, version, action, participant_id, state, reason, created_at)
     select order_id, version, action, agent_id, state, reason, now from done order by order_id),
   counted as (${addBytesSql(
     'agent_id',
     'bytes',
     `from (
       select agent_id, sum(text_bytes) as bytes, max(slot_max_bytes) as max_bytes from done
       where text_bytes > 0 group by agent_id
     ) texts where bytes <= max_bytes order by agent_id`,
     '(select max(slot_max_bytes) from done where agent_id = excluded.agent_id)',
   )}),
   told as (${insertEventsOfJsonText(
     'done',
     'coalesce(done.text_bytes, 0) = 0 or done.agent_id in (select agent_id from counted)',
   )}, payload ->> 'order_id' as order_id)
   select done.call_number::integer,
     json_object_agg(told.event_id, told.number) filter (where told.event_id is not null)::text as numbers
   from done left join told on told.order_id = done.order_id::text group by done.call_number`;

// Each statement checks what its command was decided on, and writes all of it or nothing: the version of the order,
// the friendship and the balances. What does not hold any more has no row in the answer. Where the texts of an agent do not
// fit into the row of its usage, the statement fails with `isEventRefused`. The order of locks: order, friendship,
// wallets by their ids, operation, files by their ids, usage of texts. A batch leaves out what is locked, and the second
// call for an order or an operation; these run alone.

/** Writes a new order. */
export const addOrder = prepareBatchedWrite<WrittenOrder, keyof typeof addedParameters>('add-order', addedParameters, {
  alone: (calls) => addText(calls, ''),
  together: (calls) => addText(calls, 'skip locked'),
});

/** Writes the next version of an order without a movement of credits. */
export const changeOrder = prepareBatchedWrite<WrittenOrder, keyof typeof changedParameters>(
  'change-order',
  changedParameters,
  { alone: (calls) => changeText(calls, ''), together: (calls) => changeText(calls, 'skip locked') },
);

/** Writes the next version of an order with a movement of credits; where `contact_id` is given, the agents are friends. */
export const changeOrderWithCredits = prepareBatchedWrite<WrittenOrder, keyof typeof paidParameters>(
  'change-order-with-credits',
  paidParameters,
  { alone: (calls) => payText(calls, ''), together: (calls) => payText(calls, 'skip locked') },
);
