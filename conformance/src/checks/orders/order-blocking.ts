import type { Check } from '../../context/check.ts';
import { expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { AgentPair } from '../../context/pool/contacts-made.ts';
import type { Run } from '../../context/run.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { actOnContact } from '../../fixtures/contacts/contacting.ts';
import { contactIdOf, ensureCredits, expendablePair, relationBetween } from '../../fixtures/contacts/leases.ts';
import { openLedgerCheck } from '../../fixtures/orders/ledger-check.ts';
import {
  act,
  actInSequence,
  bodyOf,
  makeOffer,
  orderParties,
  postAction,
  postOrder,
  priceOf,
  termsOf,
} from '../../fixtures/orders/ordering.ts';

/** What a block leaves of orders. */
export const orderBlockingChecks: readonly Check[] = [
  {
    id: 'orders.after-a-block',
    covers: ['AP-ORDER-065', 'AP-ORDER-069', 'AP-ORDER-021'],
    rule: 'After a block existing orders can be completed and refunded, but no order can be offered or accepted.',
    cost: { writes: 21, contactRequests: 1, messages: 3, creditsMinor: 100, sockets: 2, seconds: 1 },
    needs: ['credits'],
    async judge(run) {
      const { one, other } = await expendablePair(run);
      const newcomer = await run.freshAgent();
      // The one that stays has the credits, which would be lost with the newcomer.
      const [customer, contractor] = one.id === newcomer.id ? [other, one] : [one, other];
      const market = { ...(await orderParties(run)), customer, contractor };
      const { totalMinor } = priceOf(4, market.feeBps);
      await ensureCredits(run, customer, totalMinor * 3);
      const open = await makeOffer(run, market, 'customer');
      const toPay = await actInSequence(run, market, await makeOffer(run, market, 'customer'), [
        ['accept', 'contractor'],
        ['start', 'contractor'],
        ['deliver', 'contractor'],
      ]);
      const toReturn = await actInSequence(run, market, await makeOffer(run, market, 'contractor'), [
        ['accept', 'customer'],
      ]);
      await part(run, { one, other });
      const books = await openLedgerCheck(run, market);
      const late = await postAction(run, contractor, open.id, 'accept', bodyOf('accept', 'contractor', open));
      expectRefusal(late, 403, 'friendship_required');
      expectRefusal(await postOrder(run, customer, termsOf(market, 'customer')), 403, 'friendship_required');
      await books.expectChange({});
      await act(run, market, toPay, 'complete', 'customer');
      await books.expectChange({
        customer: { available: 0, reserved: -totalMinor },
        contractor: { available: toPay.price.amountMinor, reserved: 0 },
      });
      await actInSequence(run, market, toReturn, [
        ['propose-refund', 'contractor'],
        ['approve-refund', 'customer'],
      ]);
      await books.expectChange({ customer: { available: totalMinor, reserved: -totalMinor } });
      await books.expectEntries();
      await act(run, market, open, 'cancel', 'customer');
    },
  },
];

/** Lets one block the other: these two, where nobody has parted yet in this run, so that it happens once. */
async function part(run: Run, pair: AgentPair): Promise<void> {
  await blockedPair(run);
  if (relationBetween(run, pair) === 'blocked') return;
  expectStatus(await actOnContact(run, pair.one, await contactIdOf(run, pair), 'block'), 200);
}
