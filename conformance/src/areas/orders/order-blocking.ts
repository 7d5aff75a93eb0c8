import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect, isSameId } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import { makePng } from '../../payloads/png.ts';
import { contactIdOf, expendablePair, relationBetween } from '../contacts/agent-pairs.ts';
import { blockedPair } from '../contacts/blocked-pair.ts';
import * as contacts from '../contacts/contacting.ts';
import { uploadFile } from '../files/uploading.ts';
import { startLedgerCheck } from './ledger-check.ts';
import { byContractor, byCustomer, expectOrder, OrderParties, orderParties } from './ordering.ts';

const elevenFiles = defineFixture({ writes: 11, uploads: 11 }, async (run) => {
  const fresh = await run.freshAgent();
  return await Array.fromAsync({ length: 11 }, () => uploadFile(run, fresh, { bytes: makePng(), purpose: 'order' }));
});

/** The customer is the agent from the pool, because later runs can use its credits but not those of the new agent. */
async function partiesOf(pair: contacts.AgentPair, run: Run): Promise<OrderParties> {
  const fresh = await run.freshAgent();
  const customer = pair.alice.id === fresh.id ? pair.bob : pair.alice;
  return new OrderParties(run, customer, fresh, (await orderParties(run)).feeBps);
}

/** These checks use an agent that no later run needs, because it gets blocked and its files cannot be deleted. */
export const orderBlockingChecks: readonly Check[] = [
  defineCheck(expendablePair, {
    id: 'orders.eleven-files',
    covers: ['AP-ORDER-027'],
    rule: 'The input files of an order are limited to ten.',
    cost: { writes: 4, contactRequests: 1 },
    fixtures: [elevenFiles],
    async judge(pair, run) {
      const files = await elevenFiles(run);
      // The contractor makes the offers, because only a customer has to confirm a total with the commission.
      const parties = await partiesOf(pair, run);
      const offer = (ids: readonly string[]) => parties.postOffer('contractor', { input_attachment_ids: ids });
      expect.malformed(await offer(files));
      const ten = await offer(files.slice(0, 10));
      for (const file of files.slice(0, 10)) expect.record(expect.status(ten, 201), file, 'a file of the order');
    },
  }),
  defineCheck(expendablePair, {
    id: 'orders.eleven-result-files',
    covers: ['AP-ORDER-027', 'AP-ORDER-066'],
    rule: 'The result files are limited to ten, in addition to a text.',
    cost: { writes: 8, uploads: 1, contactRequests: 1, creditsMinor: 100 },
    fixtures: [elevenFiles],
    async judge(pair, run) {
      const parties = await partiesOf(pair, run);
      await parties.fund();
      const order = await (await parties.offer('contractor')).actInSequence([
        byCustomer('accept'),
        byContractor('start'),
      ]);
      const deliver = (ids: readonly string[]) =>
        order.post(['deliver', 'contractor'], { result_text: 'Both of it.', result_attachment_ids: ids });
      const files = await elevenFiles(run);
      const eleven = await deliver(files);
      // A server that ignores the list of files also answers 200, so this requires that the answer contains a file.
      if (eleven.status === 200)
        await run.precondition('AP-ORDER-066', () => expect.record(eleven, String(files[0]), 'a file of the result'));
      await run.requirement('AP-ORDER-027', () => expect.malformed(eleven));
      const file = await uploadFile(run, parties.contractor, { bytes: makePng(), purpose: 'order' });
      const delivered = await deliver([file]);
      await run.requirement('AP-ORDER-066', () => {
        expect.member(expectOrder(delivered, 200), 'result_text', 'Both of it.', delivered);
        expect.record(delivered, file, 'a file of the result');
      });
      await order.after(delivered).refund();
    },
  }),
  defineCheck(expendablePair, {
    id: 'orders.after-a-block',
    covers: ['AP-ORDER-065', 'AP-ORDER-069', 'AP-ORDER-021', 'AP-ORDER-023', 'AP-WALLET-014'],
    rule: 'After a block existing orders can be completed and refunded, but no order can be offered or accepted; an earlier offer can be repeated.',
    cost: { writes: 19, contactRequests: 1, creditsMinor: 100 },
    fixtures: [blockedPair],
    async judge(pair, run) {
      const parties = await partiesOf(pair, run);
      await parties.fund(4, 3);
      const terms = parties.terms('customer');
      const open = await parties.offer('customer', 4, terms);
      const toPay = await (await parties.offer('customer')).actInSequence([
        byContractor('accept'),
        byContractor('start'),
      ]);
      const toReturn = await (await parties.offer('contractor')).act('accept', 'customer');
      // If the fixture has blocked another pair, this pair is blocked here.
      await blockedPair(run);
      if (relationBetween(run, pair) !== 'blocked')
        expect.works(await contacts.sendAction(pair.alice, await contactIdOf(run, pair), 'block'));
      const ledger = await startLedgerCheck(parties);
      await run.requirement('AP-ORDER-065', async () => {
        expect.refusal(await open.post(['accept', 'contractor']), 403, 'friendship_required');
        await ledger.expectChange();
      });
      await run.requirement('AP-ORDER-021', async () =>
        expect.refusal(await parties.postOffer('customer'), 403, 'friendship_required'),
      );
      await run.requirement('AP-ORDER-023', async () => {
        const repeat = await parties.customer.post(ordersPath, terms);
        expect(isSameId(expectOrder(repeat, 200)['id'], open.id), 'the answer contains a different order', repeat);
      });
      await run.requirement('AP-ORDER-069', async () => {
        const delivered = toPay.after(expect.status(await toPay.post(['deliver', 'contractor']), 200));
        await delivered.expectUnchanged();
        const paid = delivered.after(expect.status(await delivered.post(['complete', 'customer']), 200));
        await paid.expectUnchanged();
        await ledger.expectChange('pay', toPay.price);
        await toReturn.refund();
        await ledger.expectChange('return', toReturn.price);
      });
      await ledger.expectEntries();
      await open.act('cancel', 'customer');
    },
  }),
];
