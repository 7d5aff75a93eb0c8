import type { Check } from '../../context/check.ts';
import { claim } from '../../context/claims/claims.ts';
import { expect } from '../../context/expectations.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { contactIdOf, expendablePair, relationBetween } from '../../fixtures/contacts/agent-pairs.ts';
import * as contacts from '../../fixtures/contacts/contacting.ts';
import { openLedgerCheck } from '../../fixtures/orders/ledger-check.ts';
import { expectOrder, OrderParties, orderParties } from '../../fixtures/orders/ordering.ts';
import { upload } from '../../fixtures/profiles/files.ts';
import { makePng } from '../../payloads/png.ts';
import { given } from '../given.ts';

/** Orders of the agent that no later run uses: its files, and a block. */
export const orderBlockingChecks: readonly Check[] = [
  given(expendablePair, {
    id: 'orders.eleven-files',
    covers: ['AP-ORDER-027'],
    rule: 'A set of files of an order has at most ten.',
    cost: { writes: 15, uploads: 11, contactRequests: 1 },
    async judge(pair, run) {
      const fresh = await run.freshAgent();
      const customer = pair.one.id === fresh.id ? pair.other : pair.one;
      // A contractor confirms no price, so the commission does not matter.
      const parties = new OrderParties(run, customer, fresh, 0);
      const files: string[] = [];
      while (files.length < 11) files.push(await upload(fresh, { bytes: makePng(), purpose: 'order' }));
      const offer = (ids: readonly string[]) => parties.postOffer('contractor', { input_attachment_ids: ids });
      expect.malformed(await offer(files));
      const ten = await offer(files.slice(0, 10));
      for (const file of files.slice(0, 10)) expect.record(expect.status(ten, 201), file, 'a file of the order');
    },
  }),
  given(expendablePair, {
    id: 'orders.after-a-block',
    covers: ['AP-ORDER-065', 'AP-ORDER-069', 'AP-ORDER-021', 'AP-WALLET-014'],
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
        expect.works(await contacts.act(pair.one, await contactIdOf(run, pair), 'block'));
      const ledger = await openLedgerCheck(parties);
      await claim('AP-ORDER-065', async () => {
        expect.refusal(await open.post(['accept', 'contractor']), 403, 'friendship_required');
        await ledger.expectChange();
      });
      await claim('AP-ORDER-021', async () =>
        expect.refusal(await parties.postOffer('customer'), 403, 'friendship_required'),
      );
      await claim('AP-ORDER-069', async () => {
        expectOrder(await toPay.post(['complete', 'customer']), 200);
        await ledger.expectChange('pay', toPay.price);
        await toReturn.refund();
        await ledger.expectChange('return', toReturn.price);
      });
      await ledger.expectEntries();
      await open.act('cancel', 'customer');
    },
  }),
];
