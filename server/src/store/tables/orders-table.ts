import { orderStates } from '@agent-platform/contract';
import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

const states = orderStates.map((state) => `'${state}'`).join(', ');

/** The current state of the orders. Terms and price are fixed at creation. */
export const OrdersTable = defineEntity({
  name: 'OrderRow',
  tableName: 'orders',
  properties: {
    id: p.uuid().primary(),
    author_id: p.uuid(),
    customer_id: p.uuid(),
    contractor_id: p.uuid(),
    state: p.text(),
    version: p.integer(),
    title: p.text(),
    description: p.text(),
    deadline: p.datetime(3),
    amount_minor: p.bigint('number'),
    fee_minor: p.bigint('number'),
    total_minor: p.bigint('number'),
    fee_bps: p.integer(),
    result_text: p.text().nullable(),
    refund_proposed_by: p.uuid().nullable(),
    refund_reason: p.text().nullable(),
    refund_proposed_at: p.datetime(3).nullable(),
    outcome: p.text().nullable(),
    /** The number of files; if it is 0, no query for files is needed. */
    file_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
  indexes: [
    { name: 'orders_of_customer_index', properties: ['customer_id', 'created_at', 'id'] },
    { name: 'orders_of_contractor_index', properties: ['contractor_id', 'created_at', 'id'] },
    { name: 'orders_of_customer_by_state_index', properties: ['customer_id', 'state', 'created_at', 'id'] },
    { name: 'orders_of_contractor_by_state_index', properties: ['contractor_id', 'state', 'created_at', 'id'] },
    sqlIndex(
      'orders_open_offers_index',
      ['author_id', 'customer_id', 'contractor_id'],
      `orders (author_id, customer_id, contractor_id) where state = 'offered'`,
    ),
  ],
  // Commands check the rules first; a violated constraint is a defect.
  checks: namedChecks({
    orders_state_known: `state in (${states})`,
    orders_version_positive: 'version >= 1',
    orders_between_two: 'customer_id <> contractor_id',
    orders_author_takes_part: 'author_id = customer_id or author_id = contractor_id',
    orders_price_bounds: 'amount_minor >= 1 and fee_minor >= 0 and total_minor <= 1000000000000',
    orders_total_adds_up: 'total_minor = amount_minor + fee_minor',
    orders_outcome_known: `outcome in ('accepted', 'refunded')`,
    orders_outcome_closed: `(outcome is not null) = (state = 'closed')`,
    orders_refund_whole:
      '(refund_proposed_by is null) = (refund_reason is null) and (refund_proposed_by is null) = (refund_proposed_at is null)',
  }),
});

/** Every version of every order: who made it and by which action. Append-only; one change per version. */
export const OrderHistoryTable = defineEntity({
  name: 'OrderHistoryRow',
  tableName: 'order_history',
  properties: {
    order_id: p.uuid().primary(),
    version: p.integer().primary().autoincrement(false),
    action: p.text(),
    participant_id: p.uuid(),
    state: p.text(),
    reason: p.text().nullable(),
    created_at: p.datetime(3),
  },
});

/** Completed order operations, by the id that their agent chose, so that a repeat returns the same response (§6.62). */
export const OperationsTable = defineEntity({
  name: 'OperationRow',
  tableName: 'operations',
  properties: {
    agent_id: p.uuid().primary(),
    operation_id: p.uuid().primary(),
    /** The fingerprint of the command, the order and the body. */
    fingerprint: p.text(),
    /** The display names of customer and contractor at the time of the response; null once the agent is erased. */
    answer: p.json().nullable(),
    created_at: p.datetime(3),
    order_id: p.uuid().nullable(),
  },
});
