import { type Check, defineCheck } from '../../context/check.ts';
import { expect, malformedCodes } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import { readPage } from '../paging.ts';
import { readBalance, startLedgerCheck } from './ledger-check.ts';
import { actionsByState } from './order-members.ts';
import type { OrderRole } from './order-steps.ts';
import {
  byContractor,
  byCustomer,
  expectOrder,
  findLargestAmount,
  orderParties,
  type PartyAction,
} from './ordering.ts';

const cancel = byCustomer('cancel');

export const orderCommandChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'orders.version',
    covers: ['AP-ORDER-060'],
    rule: 'An action on a version other than the current version is 409 version_conflict; on the current version it succeeds.',
    cost: { writes: 5 },
    async judge(parties) {
      const offer = await parties.offer('customer');
      for (const version of [offer.version + 1, offer.version + 1_000]) {
        const answer = await offer.post(cancel, { expected_version: version });
        expect.refusal(answer, 409, 'version_conflict');
      }
      await offer.expectUnchanged();
      await offer.act(...cancel);
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.old-version',
    covers: ['AP-ORDER-060'],
    rule: 'Every action on a version other than the current version is 409 version_conflict, from the offer to the refund.',
    cost: { writes: 16, creditsMinor: 100 },
    async judge(parties) {
      await parties.fund();
      let order = await parties.offer('customer');
      const first = order.version;
      for (const turns of actionsByState) {
        for (const turn of turns) {
          const other = order.version === first ? first + 1 : first;
          expect.refusal(await order.post(turn, { expected_version: other }), 409, 'version_conflict');
        }
        await order.expectUnchanged();
        order = await order.actInSequence(turns.slice(-1));
      }
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.absent-actions',
    covers: ['AP-ORDER-053', 'AP-ORDER-078', 'AP-VERSION-002'],
    rule: 'No other action exists, and an order cannot be deleted or replaced.',
    cost: { writes: 10 },
    async judge(parties, run) {
      const offer = await parties.offer('customer');
      const expectAbsent = async (...actions: readonly string[]) => {
        for (const action of actions)
          expect.refused(await parties.customer.post(offer.path(action), offer.body(...cancel)));
        await offer.expectUnchanged();
      };
      await run.requirement('AP-ORDER-053', () => expectAbsent('expire', 'pay'));
      await run.requirement('AP-ORDER-078', () => expectAbsent('resume', 'arbitrate', 'partial-refund'));
      await run.requirement('AP-VERSION-002', async () => {
        const path = `${ordersPath}/${offer.id}`;
        expect.refused(await parties.customer.delete(path));
        expect.refused(await parties.customer.patch(path, { title: 'Another picture' }));
        await offer.expectUnchanged();
      });
      await offer.act(...cancel);
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.uncovered',
    covers: ['AP-ORDER-063'],
    rule: 'A total above the available credits is 409 insufficient_funds, and nothing is reserved.',
    cost: { writes: 4 },
    async judge(parties) {
      const ledger = await startLedgerCheck(parties);
      // The price is above any balance, so that the customer cannot accept.
      const offer = await parties.offer('contractor', findLargestAmount(1_000_000_000_000, parties.feeBps));
      expect.refusal(await offer.post(['accept', 'customer']), 409, 'insufficient_funds');
      await offer.expectUnchanged();
      await ledger.expectChange();
      await ledger.expectEntries();
      await offer.act('reject', 'customer');
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.cover',
    covers: ['AP-ORDER-063', 'AP-ORDER-054', 'AP-ORDER-057'],
    rule: 'A customer can reserve all available credits, but not a minor unit more.',
    cost: { writes: 6, creditsMinor: 100 },
    async judge(parties, run) {
      await parties.fund(5);
      const { available } = await readBalance(run, parties.customer);
      const largest = findLargestAmount(available, parties.feeBps);
      const ledger = await startLedgerCheck(parties);
      const tooMuch = await parties.offer('customer', largest + 1);
      await run.requirement('AP-ORDER-063', async () => {
        expect.refusal(await tooMuch.post(['accept', 'contractor']), 409, 'insufficient_funds');
        await tooMuch.expectUnchanged();
        await ledger.expectChange();
      });
      const order = await (await parties.offer('customer', largest)).act('accept', 'contractor');
      await run.requirement('AP-ORDER-054', () => ledger.expectChange('reserve', order.price));
      await order.refund();
      await run.requirement('AP-ORDER-057', () => ledger.expectChange('return', order.price));
      await ledger.expectEntries();
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.accept-confirmation',
    covers: ['AP-ORDER-062'],
    rule: 'A customer confirms the total on acceptance: without it the order is not accepted, with another total it is price_changed.',
    cost: { writes: 9, creditsMinor: 100 },
    async judge(parties) {
      await parties.fund(15);
      const offer = await parties.offer('contractor', 15);
      const { amountMinor, totalMinor } = offer.price;
      const accept = (confirmed: unknown) => offer.post(['accept', 'customer'], { confirmed_total_minor: confirmed });
      expect.refused(await accept(undefined), 'price_changed', ...malformedCodes);
      expect.malformed(await accept(String(totalMinor)));
      // Without a commission, the reward equals the total and is not a wrong value.
      const others = [amountMinor, totalMinor - 1, totalMinor + 1].filter((other) => other !== totalMinor);
      for (const other of others) expect.refusal(await accept(other), 409, 'price_changed');
      await offer.expectUnchanged();
      await (await offer.act('accept', 'customer')).refund();
    },
  }),
  reasonCheck('dispute'),
  reasonCheck('propose-refund'),
  defineCheck(orderParties, {
    id: 'orders.result',
    covers: ['AP-ORDER-066', 'AP-ORDER-053', 'AP-ORDER-030', 'AP-ORDER-033', 'AP-ORDER-035'],
    rule: 'A delivery has a text of at most 8000 characters, or files; result and terms stay until the end, and only complete pays.',
    cost: { writes: 10, creditsMinor: 100 },
    async judge(parties, run) {
      const order = await parties.acceptedOrder([byContractor('start')]);
      const deliver = (text: unknown) => order.post(['deliver', 'contractor'], { result_text: text });
      // `É` has two bytes, because the limit counts characters; `<` must be returned unescaped.
      const longest = 'É<'.repeat(4000);
      for (const wrong of [`${longest}r`, 7]) expect.malformed(await deliver(wrong));
      // Any refusal of an empty delivery is correct: the specification states neither status nor code.
      const empty = await deliver(undefined);
      expect.refused(empty);
      expect.code(empty);
      await order.expectUnchanged();
      const delivered = await deliver(longest);
      expect.members(expectOrder(delivered, 200), { state: 'delivered', result_text: longest }, delivered);
      const toPay = order.after(delivered);
      const { deadline } = expectOrder(order.answer);
      const { title, description } = parties.terms('customer');
      const stays = async (role: OrderRole, state: string) => {
        const read = expect.works(await toPay.readAs(role));
        await run.requirement('AP-ORDER-066', () => expect.member(expectOrder(read), 'result_text', longest, read));
        await run.requirement('AP-ORDER-030', () =>
          expect.members(expectOrder(read), { title, description, deadline }, read),
        );
        await run.requirement('AP-ORDER-035', async () => {
          const list = await readPage(parties[role], ordersPath, `page_size=50&state=${state}`);
          expect.record(list, toPay.id, `the order in state ${state}`);
        });
      };
      await stays('customer', 'delivered');
      await run.requirement('AP-ORDER-053', async () => {
        expect.refused(await parties.customer.post(toPay.path('pay'), toPay.body('complete', 'customer')));
        await toPay.expectUnchanged();
      });
      await toPay.refund();
      await stays('contractor', 'closed');
      await run.requirement('AP-ORDER-033', async () =>
        expect.record(await readPage(parties.contractor, ordersPath), toPay.id, 'the closed order'),
      );
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.changed-commands',
    covers: ['AP-ORDER-072'],
    rule: 'A used operation_id with changed content is 409 idempotency_conflict.',
    cost: { writes: 12, creditsMinor: 100 },
    async judge(parties) {
      await parties.fund(5);
      let order = await parties.offer('contractor', 5);
      const steps: readonly (readonly [turn: PartyAction, change: object])[] = [
        [['accept', 'customer'], { confirmed_total_minor: order.price.totalMinor + 1 }],
        [['start', 'contractor'], { expected_version: order.version + 7 }],
        [['deliver', 'contractor'], { result_text: 'There it was.' }],
        [['dispute', 'customer'], { reason: 'It is a house.' }],
        [['propose-refund', 'contractor'], { reason: 'It is a house.' }],
      ];
      for (const [[action, role], change] of steps) {
        const body = order.body(action, role);
        const done = expect.works(await order.post([action, role], body));
        order = order.after(done);
        expect.refusal(await order.post([action, role], { ...body, ...change }), 409, 'idempotency_conflict');
        await order.expectUnchanged();
      }
      await order.act('approve-refund', 'customer');
    },
  }),
];

const intoDispute: readonly PartyAction[] = [byContractor('dispute'), byCustomer('propose-refund')];

/** The other of the two actions is sent with the shortest valid reason. */
function reasonCheck(action: 'dispute' | 'propose-refund'): Check {
  return defineCheck(orderParties, {
    id: `orders.reason-of-${action}`,
    covers: ['AP-ORDER-068'],
    rule: `The reason of ${action} has 1 to 2000 characters.`,
    cost: { writes: 10, creditsMinor: 100 },
    async judge(parties) {
      const longest = '語'.repeat(2000);
      let order = await parties.acceptedOrder();
      for (const turn of intoDispute) {
        const isMeant = turn[0] === action;
        const before = order;
        const give = (reason: unknown) => before.post(turn, { reason });
        if (isMeant) {
          for (const wrong of ['', `${longest}w`, 7, undefined]) expect.malformed(await give(wrong));
          await before.expectUnchanged();
        }
        const given = await give(isMeant ? longest : 'w');
        // Only a 400 concerns the reason; any other refusal concerns the action.
        if (given.status !== 400) expect.works(given);
        expect.members(expectOrder(given, 200), { state: 'disputed' }, given);
        order = before.after(given);
      }
      await order.act('approve-refund', 'contractor');
    },
  });
}
