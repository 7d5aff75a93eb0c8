import { expect } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import { readPage } from '../paging.ts';
import { readHistory } from './ledger-check.ts';
import type { OrderParties } from './ordering.ts';

/** Fills the ledger of the customer with so many entries, by refunded orders. */
export async function fillHistory(parties: OrderParties, count: number): Promise<void> {
  // Each order makes four entries: two for its reserve and two for its refund.
  for (let orders = 0; ; orders += 1) {
    const { entries, exchange } = await readHistory(parties.run, parties.customer);
    if (entries.length >= count) return;
    await parties.run.precondition('AP-WALLET-016', () =>
      expect(orders < count, 'the history does not grow with orders', exchange),
    );
    await (await parties.acceptedOrder()).refund();
  }
}

/** Fills the list of both parties with so many orders, by offers. */
export async function fillOrders(parties: OrderParties, count: number): Promise<void> {
  const list = await readPage(parties.customer, ordersPath);
  for (let there = expect.list(list).length; there < count; there += 1) await parties.offer('customer');
}
