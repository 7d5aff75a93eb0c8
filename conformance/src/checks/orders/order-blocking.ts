import type { Check } from '../../context/check.ts';
import { demandRefusal, demandStatus } from '../../context/expectations.ts';
import type { Pair } from '../../context/pool/contacts-made.ts';
import type { Run } from '../../context/run.ts';
import { leaseParted } from '../../fixtures/blocked-pair.ts';
import { actOnContact } from '../../fixtures/contacts/contacting.ts';
import { between, contactIdOf, leaseCredits, leaseExpendableFriends } from '../../fixtures/contacts/leases.ts';
import { openBooks } from '../../fixtures/orders/ledger-check.ts';
import {
  act,
  actInTurn,
  askForAction,
  askForOrder,
  bodyOf,
  makeOffer,
  openMarket,
  priceOf,
  termsOf,
} from '../../fixtures/orders/ordering.ts';

/** What a block leaves of orders. */
export const orderBlockingChecks: readonly Check[] = [
  {
    id: 'orders.after-a-block',
    covers: ['AP-ORDER-065', 'AP-ORDER-069', 'AP-ORDER-021'],
    rule: 'After a block orders that are under way are completed and refunded as before, and no new ones are offered or accepted.',
    cost: { writes: 21, contactRequests: 1, messages: 3, creditsMinor: 100, sockets: 2, seconds: 1 },
    needs: ['credits'],
    async judge(run) {
      const { one, other } = await leaseExpendableFriends(run);
      const newcomer = await run.newcomer();
      // The one that stays has the credits, which would be lost with the newcomer.
      const [customer, contractor] = one.id === newcomer.id ? [other, one] : [one, other];
      const market = { ...(await openMarket(run)), customer, contractor };
      const { totalMinor } = priceOf(4, market.feeBps);
      await leaseCredits(run, customer, totalMinor * 3);
      const open = await makeOffer(run, market, 'customer');
      const toPay = await actInTurn(run, market, await makeOffer(run, market, 'customer'), [
        ['accept', 'contractor'],
        ['start', 'contractor'],
        ['deliver', 'contractor'],
      ]);
      const toReturn = await actInTurn(run, market, await makeOffer(run, market, 'contractor'), [
        ['accept', 'customer'],
      ]);
      await part(run, { one, other });
      const books = await openBooks(run, market);
      const late = await askForAction(run, contractor, open.id, 'accept', bodyOf('accept', 'contractor', open));
      demandRefusal(late, 403, 'friendship_required');
      demandRefusal(await askForOrder(run, customer, termsOf(market, 'customer')), 403, 'friendship_required');
      await books.move({});
      await act(run, market, toPay, 'complete', 'customer');
      await books.move({
        customer: { available: 0, reserved: -totalMinor },
        contractor: { available: toPay.price.amountMinor, reserved: 0 },
      });
      await actInTurn(run, market, toReturn, [
        ['propose-refund', 'contractor'],
        ['approve-refund', 'customer'],
      ]);
      await books.move({ customer: { available: totalMinor, reserved: -totalMinor } });
      await books.close();
      await act(run, market, open, 'cancel', 'customer');
    },
  },
];

/** Lets one block the other: these two, where nobody has parted yet in this run, so that it happens once. */
async function part(run: Run, pair: Pair): Promise<void> {
  await leaseParted(run);
  if (between(run, pair) === 'blocked') return;
  demandStatus(await actOnContact(run, pair.one, await contactIdOf(run, pair), 'block'), 200);
}
