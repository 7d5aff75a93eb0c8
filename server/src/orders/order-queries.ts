import * as api from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { type Page, prepareFirstPages } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import { formatTimestamp, toSafeInteger } from '../store/decode.ts';
import type { PageStart } from '../store/page-keys.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { compileSqlText, prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import { estimateRowsByValue } from '../store/statements/row-estimates.ts';
import type { Reader, Store, Writer } from '../store/store.ts';
import type { OrderRecord } from './order.ts';
import type { StoredHistoryEntry } from './order-view.ts';

export async function findOrder(store: Store, orderId: string, agentId: string): Promise<OrderRecord> {
  return load(await store.run(orderOfAgent, [orderId, agentId]));
}

/** Like `findOrder`, but inside a transaction. */
export async function loadOrder(writer: Writer, orderId: string, agentId: string): Promise<OrderRecord> {
  return load(await runPreparedStatement(writer, orderOfAgent, [orderId, agentId]));
}

export async function isOrderParticipant(reader: Reader, orderId: string, agentId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from orders where id = ${orderId} and ${agentId} in (customer_id, contractor_id)`.execute(reader);
  return rows.length > 0;
}

type OrderQuery = api.QueryOf<typeof api.listOrders>;

/** Lists the newest orders first. */
export async function listOrders(store: Store, agentId: string, query: OrderQuery): Promise<Page<OrderRecord>> {
  const isFirst = query.page === 1 && query.state === undefined;
  const keyOf = ({ created_at, id }: StoredOrder) => [created_at, id] as const;
  const { items, hasMore } = await store.pageKeys.read(`orders ${agentId} ${query.state}`, query, keyOf, (start) =>
    isFirst
      ? store.askAll(newestOrders(start.limit), [agentId])
      : store.read((reader) => findOrders(reader, agentId, query, start)),
  );
  return { items: items.map(decodeOrder), hasMore };
}

async function findOrders(
  reader: Reader,
  agentId: string,
  query: OrderQuery,
  { after, offset, limit }: PageStart,
): Promise<readonly StoredOrder[]> {
  const ofState = query.state === undefined ? sql`` : sql`and state = ${query.state}`;
  const behind = after && sql`and (created_at, id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`;
  const inState = sql`${ofState} ${behind ?? sql``}`;
  const [end, ofPage] = [sql`limit ${offset + limit}`, sql`limit ${limit} offset ${offset}`];
  return (await pageOfOrders(sql`${agentId}`, inState, end, ofPage).execute(reader)).rows;
}

// Merges two index scans, one for each role; full rows are read only for the orders of the page.
function pageOfOrders(
  agentId: RawBuilder<unknown>,
  inState: RawBuilder<unknown>,
  end: RawBuilder<unknown>,
  ofPage: RawBuilder<unknown>,
) {
  // Sort by time, not only by id: by id, the planner might scan the orders of all agents.
  const ofRole = (column: string) => sql`
    (select id, created_at from orders where ${sql.ref(column)} = ${agentId} ${inState}
     order by created_at desc, id desc ${end})`;
  return sql<StoredOrder>`
    select ${sql.raw(orderColumns)} from (
      select id from (${ofRole('customer_id')} union all ${ofRole('contractor_id')}) mine
      order by created_at desc, id desc ${ofPage}
    ) shown
    join orders on orders.id = shown.id ${sql.raw(orderJoins)}
    order by orders.created_at desc, orders.id desc`;
}

/** Large numbers are estimates. */
export async function countOrders(reader: Reader) {
  const estimate = await estimateRowsByValue(reader, 'orders', 'state');
  const counts = estimate?.byValue ?? (await countByState(reader));
  const byState = Object.fromEntries(api.orderStates.map((state) => [state, counts.get(state) ?? 0]));
  return { byState: byState as Record<api.OrderState, number>, isEstimate: estimate !== undefined };
}

async function countByState(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('orders')
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll<string | number>().as('count')])
    .execute();
  return new Map(rows.map(({ state, count }) => [state, toSafeInteger(count)]));
}

/** The columns of a `StoredOrder`, for statements that contain `orderJoins`. */
export const orderColumns = `
  orders.id, orders.author_id, orders.customer_id, orders.contractor_id, orders.state, orders.version, orders.title,
  orders.description, orders.deadline, orders.amount_minor, orders.fee_minor, orders.total_minor, orders.fee_bps,
  orders.result_text, orders.refund_proposed_by, orders.refund_reason, orders.refund_proposed_at, orders.outcome,
  orders.file_count, orders.created_at, orders.updated_at,
  customer.handle as customer_handle, customer.display_name as customer_name,
  customer.suspended_at is null as customer_is_active,
  contractor.handle as contractor_handle, contractor.display_name as contractor_name,
  contractor.suspended_at is null as contractor_is_active`;

export const orderJoins = `
  join bots customer on customer.id = orders.customer_id
  join bots contractor on contractor.id = orders.contractor_id`;

const newestOrders = prepareFirstPages((rows) => {
  const limit = sql`limit ${sql.lit(rows)}`;
  return prepareBatchedQuery<StoredOrder, 'agent_id'>(
    `newest-orders-${rows}`,
    { agent_id: 'uuid' },
    (parameter) => compileSqlText(pageOfOrders(sql.raw(parameter('agent_id')), sql``, limit, limit)),
    rows,
  );
});

const orderOfAgent = prepareSqlText<StoredOrder>(
  'order-of-agent',
  `select ${orderColumns} from orders ${orderJoins} where orders.id = $1 and $2 in (orders.customer_id, orders.contractor_id)`,
);

/** The history of an order ($1) up to a version ($2), oldest first. */
export const orderHistoryStatement = prepareSqlText<StoredHistoryEntry>(
  'history-of-order',
  `select action, participant_id, state, version, reason, created_at from order_history
   where order_id = $1 and version <= $2 order by version`,
);

type Role = 'customer' | 'contractor';

/** Fields that are returned as they are stored. */
type SameFields = Exclude<
  keyof OrderRecord,
  Role | `${string}_minor` | `${string}_at` | 'deadline' | 'refund_proposal'
>;

export interface StoredOrder
  extends Pick<OrderRecord, Exclude<SameFields, 'areActive'>>,
    Readonly<Record<`${Role}_${'id' | 'handle' | 'name'}`, string>>,
    Readonly<Record<`${Role}_is_active`, boolean>>,
    Readonly<Record<`${'amount' | 'fee' | 'total'}_minor`, number | string>>,
    Readonly<Record<'deadline' | 'created_at' | 'updated_at', Date | string>> {
  readonly refund_proposed_by: string | null;
  readonly refund_reason: string | null;
  readonly refund_proposed_at: Date | string | null;
}

function load([row]: readonly StoredOrder[]): OrderRecord {
  if (row === undefined) throw orderNotFoundRefusal();
  return decodeOrder(row);
}

export function orderNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'This agent has no order with this id. List the orders with GET /api/v1/orders.');
}

export function decodeOrder(row: StoredOrder): OrderRecord {
  const { id, author_id, state, version, title, description, fee_bps, result_text, outcome, file_count } = row;
  return {
    id,
    author_id,
    state,
    version,
    title,
    description,
    fee_bps,
    result_text,
    outcome,
    file_count,
    customer: { id: row.customer_id, handle: row.customer_handle, display_name: row.customer_name },
    contractor: { id: row.contractor_id, handle: row.contractor_handle, display_name: row.contractor_name },
    areActive: row.customer_is_active && row.contractor_is_active,
    deadline: formatTimestamp(row.deadline),
    amount_minor: toSafeInteger(row.amount_minor),
    fee_minor: toSafeInteger(row.fee_minor),
    total_minor: toSafeInteger(row.total_minor),
    refund_proposal: decodeProposal(row),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

function decodeProposal({ refund_proposed_by, refund_reason, refund_proposed_at }: StoredOrder) {
  if (refund_proposed_by === null || refund_reason === null || refund_proposed_at === null) return null;
  return { proposed_by: refund_proposed_by, reason: refund_reason, created_at: formatTimestamp(refund_proposed_at) };
}
