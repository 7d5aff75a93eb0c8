import type { OrderAction } from '@agent-platform/contract';
import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Writer } from '../store/store.ts';
import type { OrderRecord } from './order.ts';

/** The author, the action and the reason of a version. */
interface HistoryLine {
  readonly action: OrderAction | 'create';
  readonly agentId: string;
  readonly reason: string | null;
}

/** Writes a new order with the first line of its history. */
export async function insertOrder(writer: Writer, order: OrderRecord): Promise<void> {
  const { id, author_id, customer, contractor, state, version, title, description, deadline } = order;
  const { amount_minor, fee_minor, total_minor, fee_bps, file_count, created_at } = order;
  await runPrepared(writer, addOrder, [
    ...[id, author_id, customer.id, contractor.id, state, version, title, description, deadline],
    ...[amount_minor, fee_minor, total_minor, fee_bps, file_count, created_at, author_id],
  ]);
}

/** Writes the next version of a locked order with its line of the history. */
export async function updateOrder(writer: Writer, order: OrderRecord, line: HistoryLine): Promise<void> {
  const { id, version, state, outcome, result_text, refund_proposal, file_count, updated_at } = order;
  const { proposed_by = null, reason = null, created_at = null } = refund_proposal ?? {};
  const written = await runPrepared(writer, changeOrder, [
    ...[id, version, state, outcome, result_text, proposed_by, reason, created_at, file_count, updated_at],
    ...[line.action, line.agentId, line.reason],
  ]);
  if (written.length !== 1) throw new Error(`The order ${order.id} was locked and changed all the same.`);
}

/** Writes a new order and the first line of its history. */
const addOrder = prepareText<never>(
  'add-order',
  `with added as (
     insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
                         amount_minor, fee_minor, total_minor, fee_bps, file_count, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
     returning id, version, state, created_at
   )
   insert into order_history (order_id, version, action, participant_id, state, created_at)
   select id, version, 'create', $16::uuid, state, created_at from added`,
);

/**
 * Writes the next version of an order and its line of the history. The order is
 * locked; the version in the condition verifies that.
 */
const changeOrder = prepareText<{ order_id: string }>(
  'change-order',
  `with changed as (
     update orders set version = $2, state = $3, outcome = $4, result_text = $5, refund_proposed_by = $6,
                       refund_reason = $7, refund_proposed_at = $8, file_count = $9, updated_at = $10
     where id = $1 and version = $2 - 1
     returning id, version, state, updated_at
   )
   insert into order_history (order_id, version, action, participant_id, state, reason, created_at)
   select id, version, $11::text, $12::uuid, state, $13::text, updated_at from changed
   returning order_id`,
);
