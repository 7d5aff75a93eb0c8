import { sql } from 'kysely';
import { lockTextUsage } from '../identity/text-usage-commands.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Writer } from '../store/store.ts';
import type { OrderRecord } from './order.ts';

/** This is larger than the number of offers that two agents can create concurrently. */
const margin = 50;

/** With fewer open offers than this, a new one needs no lock, because concurrent offers cannot reach the limit. */
export function computeMaxOffersWithoutLock(limit: number): number {
  return Math.max(0, Math.floor(limit / 2) - margin);
}

/** Refuses an offer that was just written if its author now has too many open offers to the other agent (§6.31). */
export async function refuseSurplusOffer(writer: Writer, order: OrderRecord, limit: number): Promise<void> {
  const { author_id, customer, contractor } = order;
  await lockTextUsage(writer, author_id);
  const { rows } = await sql`
    select from orders where author_id = ${author_id} and customer_id = ${customer.id}
      and contractor_id = ${contractor.id} and state = 'offered' limit ${limit + 1}`.execute(writer);
  if (rows.length <= limit) return;
  const other = author_id === customer.id ? contractor : customer;
  throw new Refusal(
    'storage_quota_exceeded',
    `This agent already has ${limit} open offers to ${other.handle}. Cancel some, or wait until they are answered.`,
  );
}
