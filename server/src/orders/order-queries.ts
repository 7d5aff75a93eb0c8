import type { OrderState } from '@agent-platform/contract';
import { sql } from 'kysely';
import { boundsOf, cutPage, type Page, type PageQuery } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import { milliseconds, safeInteger } from '../store/decode.ts';
import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Reader, Store, Writer } from '../store/store.ts';
import type { OrderRecord, Participant, RefundProposal } from './order.ts';
import type { StoredHistoryEntry } from './order-view.ts';

/** The refusal for an unknown order and for an order of other agents alike. */
function noSuchOrder(): Refusal {
  return new Refusal('not_found', 'This agent has no order with this id. List the orders with GET /api/v1/orders.');
}

/** Finds an order of an agent. */
export async function findOrder(store: Store, orderId: string, agentId: string): Promise<OrderRecord> {
  return load(await store.run(orderOfAgent, [orderId, agentId]));
}

/** Locks an order of an agent until the transaction ends. Orders are locked before everything else. */
export async function lockOrder(writer: Writer, orderId: string, agentId: string): Promise<OrderRecord> {
  return load(await runPrepared(writer, orderForChange, [orderId, agentId]));
}

/** The history of an order up to a version, oldest first. */
export async function listHistory(
  store: Store,
  orderId: string,
  version: number,
): Promise<readonly StoredHistoryEntry[]> {
  return await store.run(historyOfOrder, [orderId, version]);
}

/** Whether an agent takes part in an order. */
export async function isOrderParticipant(reader: Reader, orderId: string, agentId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from orders where id = ${orderId} and ${agentId} in (customer_id, contractor_id)`.execute(reader);
  return rows.length > 0;
}

/** The two agents of a new order; undefined where one of them does not exist. */
export async function findParticipants(
  writer: Writer,
  customerId: string,
  contractorId: string,
): Promise<{ readonly customer: Participant; readonly contractor: Participant } | undefined> {
  const rows = await runPrepared(writer, participants, [customerId, contractorId]);
  const customer = rows.find(({ id }) => id === customerId);
  const contractor = rows.find(({ id }) => id === contractorId);
  return customer === undefined || contractor === undefined ? undefined : { customer, contractor };
}

/** A page of a list of orders. */
interface OrderQuery extends PageQuery {
  readonly state?: OrderState;
}

/**
 * The orders of an agent, newest first. Two index scans are merged, one for each
 * role; the full rows are read only for the orders of the page.
 */
export async function listOrders(reader: Reader, agentId: string, query: OrderQuery): Promise<Page<OrderRecord>> {
  const { offset, limit } = boundsOf(query);
  const inState = query.state === undefined ? sql`` : sql`and state = ${query.state}`;
  // By time and not only by id: in the order of ids the planner might scan the
  // orders of all agents.
  const ofRole = (column: string) => sql`
    (select id, created_at from orders where ${sql.ref(column)} = ${agentId} ${inState}
     order by created_at desc, id desc limit ${offset + limit})`;
  const { rows } = await sql<StoredOrder>`
    select ${sql.raw(columns)} from (
      select id from (${ofRole('customer_id')} union all ${ofRole('contractor_id')}) mine
      order by created_at desc, id desc limit ${limit} offset ${offset}
    ) shown
    join orders on orders.id = shown.id ${sql.raw(joins)}
    order by orders.created_at desc, orders.id desc`.execute(reader);
  return cutPage(rows.map(decode), query);
}

const columns = `
  orders.id, orders.author_id, orders.customer_id, orders.contractor_id, orders.state, orders.version, orders.title,
  orders.description, orders.deadline, orders.amount_minor, orders.fee_minor, orders.total_minor, orders.fee_bps,
  orders.result_text, orders.refund_proposed_by, orders.refund_reason, orders.refund_proposed_at, orders.outcome,
  orders.file_count, orders.created_at, orders.updated_at,
  customer.handle as customer_handle, customer.display_name as customer_name,
  customer.suspended_at is null as customer_is_active,
  contractor.handle as contractor_handle, contractor.display_name as contractor_name,
  contractor.suspended_at is null as contractor_is_active`;

const joins = `
  join bots customer on customer.id = orders.customer_id
  join bots contractor on contractor.id = orders.contractor_id`;

const ofAgent = `
  select ${columns} from orders ${joins} where orders.id = $1 and $2 in (orders.customer_id, orders.contractor_id)`;

const orderOfAgent = prepareText<StoredOrder>('order-of-agent', ofAgent);
/** Locks an order of an agent. */
export const orderForChange = prepareText<StoredOrder>('order-for-change', `${ofAgent} for no key update of orders`);

const historyOfOrder = prepareText<StoredHistoryEntry>(
  'history-of-order',
  `select action, participant_id, state, version, reason, created_at from order_history
   where order_id = $1 and version <= $2 order by version`,
);

/** Reads the two agents of a new order. */
export const participants = prepareText<Participant>(
  'participants-of-new-order',
  `select id, handle, display_name, suspended_at is null as "isActive" from bots where id in ($1, $2)`,
);

type SameFields =
  | 'id'
  | 'author_id'
  | 'state'
  | 'version'
  | 'title'
  | 'description'
  | 'result_text'
  | 'outcome'
  | 'file_count';

interface StoredOrder extends Pick<OrderRecord, SameFields>, StoredParticipants {
  readonly deadline: Date | string;
  readonly amount_minor: number | string;
  readonly fee_minor: number | string;
  readonly total_minor: number | string;
  readonly fee_bps: number;
  readonly refund_proposed_by: string | null;
  readonly refund_reason: string | null;
  readonly refund_proposed_at: Date | string | null;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

type StoredParticipants = Readonly<Record<`${'customer' | 'contractor'}_${'id' | 'handle' | 'name'}`, string>> &
  Readonly<Record<`${'customer' | 'contractor'}_is_active`, boolean>>;

function load([row]: readonly StoredOrder[]): OrderRecord {
  if (row === undefined) throw noSuchOrder();
  return decode(row);
}

function decode(row: StoredOrder): OrderRecord {
  const { id, author_id, state, version, title, description, result_text, outcome, file_count, fee_bps } = row;
  return {
    ...{ id, author_id, state, version, title, description, result_text, outcome, file_count },
    customer: decodeParticipant(row, 'customer'),
    contractor: decodeParticipant(row, 'contractor'),
    deadline: moment(row.deadline),
    price: {
      amount_minor: safeInteger(row.amount_minor),
      fee_minor: safeInteger(row.fee_minor),
      total_minor: safeInteger(row.total_minor),
      fee_bps,
    },
    refund_proposal: decodeProposal(row),
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
  };
}

function decodeParticipant(row: StoredParticipants, role: 'customer' | 'contractor'): Participant {
  return {
    id: row[`${role}_id`],
    handle: row[`${role}_handle`],
    display_name: row[`${role}_name`],
    isActive: row[`${role}_is_active`],
  };
}

function decodeProposal(row: StoredOrder): RefundProposal | null {
  const { refund_proposed_by, refund_reason, refund_proposed_at } = row;
  if (refund_proposed_by === null || refund_reason === null || refund_proposed_at === null) return null;
  return { proposed_by: refund_proposed_by, reason: refund_reason, created_at: moment(refund_proposed_at) };
}

function moment(value: Date | string): Date {
  return new Date(milliseconds(value));
}
