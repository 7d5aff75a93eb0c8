import { demandStatus } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import { demandList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { leaseCredits } from '../../fixtures/contacts/leases.ts';
import { readHistory } from '../../fixtures/orders/ledger-check.ts';
import { actInTurn, type Market, makeOffer, priceOf, refund } from '../../fixtures/orders/ordering.ts';

/** Sees that the customer has as many entries in its ledger; they come from orders that are refunded. */
export async function fillHistory(run: Run, market: Market, count: number): Promise<void> {
  // Four changes give four entries: two of the reserve and two of the refund.
  while ((await readHistory(run, market.customer)).entries.length < count) {
    await leaseCredits(run, market.customer, priceOf(4, market.feeBps).totalMinor);
    const offer = await makeOffer(run, market, 'customer');
    await refund(run, market, await actInTurn(run, market, offer, [['accept', 'contractor']]));
  }
}

/** Sees that the two have as many orders; they are offers that nobody takes. */
export async function fillOrders(run: Run, market: Market, count: number): Promise<void> {
  const list = await run.ask({ path: `${ordersPath}?page_size=50`, token: market.customer.token });
  demandStatus(list, 200);
  for (let there = demandList(list).length; there < count; there += 1) await makeOffer(run, market, 'customer');
}
