import { expectStatus } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import { expectList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import { readHistory } from '../../fixtures/orders/ledger-check.ts';
import { actInSequence, makeOffer, type OrderParties, priceOf, refund } from '../../fixtures/orders/ordering.ts';

/** Sees that the customer has as many entries in its ledger; they come from orders that are refunded. */
export async function fillHistory(run: Run, market: OrderParties, count: number): Promise<void> {
  // Four changes give four entries: two of the reserve and two of the refund.
  while ((await readHistory(run, market.customer)).entries.length < count) {
    await ensureCredits(run, market.customer, priceOf(4, market.feeBps).totalMinor);
    const offer = await makeOffer(run, market, 'customer');
    await refund(run, market, await actInSequence(run, market, offer, [['accept', 'contractor']]));
  }
}

/** Sees that the two have as many orders; they are offers that nobody takes. */
export async function fillOrders(run: Run, market: OrderParties, count: number): Promise<void> {
  const list = await run.send({ path: `${ordersPath}?page_size=50`, token: market.customer.token });
  expectStatus(list, 200);
  for (let there = expectList(list).length; there < count; there += 1) await makeOffer(run, market, 'customer');
}
