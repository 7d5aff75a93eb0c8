import type { Check } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { contactIdOf, expendablePair, relationBetween } from '../../fixtures/contacts/agent-pairs.ts';
import * as contacts from '../../fixtures/contacts/contacting.ts';
import { openLedgerCheck } from '../../fixtures/orders/ledger-check.ts';
import { OrderParties, orderParties } from '../../fixtures/orders/ordering.ts';
import { given } from '../given.ts';

/** Orders after a block. */
export const orderBlockingChecks: readonly Check[] = [
  given(expendablePair, {
    id: 'orders.after-a-block',
    covers: ['AP-ORDER-065', 'AP-ORDER-069', 'AP-ORDER-021'],
    rule: 'After a block existing orders can be completed and refunded, but no order can be offered or accepted.',
    cost: { writes: 18, contactRequests: 1, creditsMinor: 100 },
    fixtures: [blockedPair],
    async judge(pair, run) {
      const fresh = await run.freshAgent();
      // The agent of the pool has the credits, as those of the fresh agent are lost.
      const [customer, contractor] = pair.one.id === fresh.id ? [pair.other, pair.one] : [pair.one, pair.other];
      const { feeBps } = await orderParties(run);
      const parties = new OrderParties(run, customer, contractor, feeBps);
      await parties.fund(4, 3);
      const open = await parties.offer('customer');
      const toPay = await (await parties.offer('customer')).actInSequence([
        ['accept', 'contractor'],
        ['start', 'contractor'],
        ['deliver', 'contractor'],
      ]);
      const toReturn = await (await parties.offer('contractor')).act('accept', 'customer');
      // The shared block comes first; where it concerns other agents, these two get one as well.
      await blockedPair(run);
      if (relationBetween(run, pair) !== 'blocked')
        expect.status(await contacts.act(pair.one, await contactIdOf(run, pair), 'block'), 200);
      const ledger = await openLedgerCheck(parties);
      expect.refusal(await open.post(['accept', 'contractor']), 403, 'friendship_required');
      expect.refusal(await parties.postOffer('customer'), 403, 'friendship_required');
      await ledger.expectChange();
      await toPay.act('complete', 'customer');
      await ledger.expectChange('pay', toPay.price);
      await toReturn.refund();
      await ledger.expectChange('return', toReturn.price);
      await ledger.expectEntries();
      await open.act('cancel', 'customer');
    },
  }),
];
