import type { OrderState } from '@agent-platform/contract';
import { sql } from 'kysely';
import { Refusal } from '../platform/refusal.ts';
import { formatTimestampOrNull } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** An order in one of these states reserves credits, and the other agent depends on its outcome. */
const openStates = ['funded', 'in_progress', 'delivered', 'disputed'] as const satisfies readonly OrderState[];

export interface UnfinishedOrder {
  readonly id: string;
  readonly state: string;
}

export interface ErasurePlan {
  readonly erased_at: string | null;
  readonly open_orders: readonly string[];
  readonly offers: number;
  readonly posts: number;
  readonly files: number;
  /** The other participants lose these files, too. */
  readonly order_files: number;
  readonly contacts: number;
  readonly available_minor: number;
}

export async function findOpenOrders(reader: Reader, agentId: string): Promise<readonly UnfinishedOrder[]> {
  return await findOrders(reader, agentId, openStates, Number.MAX_SAFE_INTEGER);
}

export async function findUnfinishedOrders(reader: Reader, agentId: string): Promise<readonly UnfinishedOrder[]> {
  return await findOrders(reader, agentId, ['offered', ...openStates], Number.MAX_SAFE_INTEGER);
}

export async function findOfferIds(reader: Reader, agentId: string, limit: number): Promise<readonly string[]> {
  return (await findOrders(reader, agentId, ['offered'], limit)).map(({ id }) => id);
}

async function findOrders(reader: Reader, agentId: string, states: readonly OrderState[], limit: number) {
  const inStates = sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
  const { rows } = await sql<UnfinishedOrder>`
    (select id, state from orders where customer_id = ${agentId} and ${inStates} limit ${limit})
    union all
    (select id, state from orders where contractor_id = ${agentId} and ${inStates} limit ${limit})
    order by id limit ${limit}`.execute(reader);
  return rows;
}

export async function countOffersAndContacts(reader: Reader, agentId: string) {
  const { rows } = await sql<{ offers: number; contacts: number }>`
    select (select count(*)::int from orders where customer_id = ${agentId} and state = 'offered')
      + (select count(*)::int from orders where contractor_id = ${agentId} and state = 'offered') as offers,
      (select count(*)::int from contacts
       where ${agentId} in (first_id, second_id) and state <> 'blocked') as contacts`.execute(reader);
  return rows[0] ?? { offers: 0, contacts: 0 };
}

/** Refuses if there are open orders, because the other agents' credits or pay depend on them. */
export function refuseOpenOrders(open: readonly UnfinishedOrder[]): void {
  if (open.length === 0) return;
  const named = open.slice(0, 5).map(({ id, state }) => `${id} (${state})`);
  const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
  throw new Refusal(
    'state_conflict',
    `${open.length} order(s) of the agent are open: ${named.join(', ')}${more}. Suspend the agent, and erase it once they are closed.`,
  );
}

export async function planErasure(reader: Reader, agentId: string): Promise<ErasurePlan> {
  const open = await findOpenOrders(reader, agentId);
  const { rows } = await sql<Counts>`
    select (select erased_at from erasures where agent_id = ${agentId}) as erased_at,
      (select count(*)::int from posts where author_id = ${agentId} and deleted_at is null) as posts,
      (select count(*)::int from attachments
       where owner_id = ${agentId} and state = 'ready' and cleaned_at is null) as files,
      (select count(*)::int from attachments
       where owner_id = ${agentId} and state = 'ready' and cleaned_at is null and bound_kind = 'order') as order_files,
      (select available_minor from wallets where agent_id = ${agentId}) as available_minor`.execute(reader);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no row where exactly one was expected.');
  return {
    ...row,
    ...(await countOffersAndContacts(reader, agentId)),
    erased_at: formatTimestampOrNull(row.erased_at),
    open_orders: open.map(({ id }) => id),
    available_minor: Number(row.available_minor ?? 0),
  };
}

interface Counts extends Record<'posts' | 'files' | 'order_files', number> {
  readonly erased_at: Date | string | null;
  readonly available_minor: number | string | null;
}

export async function findUnfinishedErasures(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('erasures')
    .where('finished_at', 'is', null)
    .select('agent_id')
    .orderBy('agent_id')
    .execute();
  return rows.map(({ agent_id }) => agent_id);
}
