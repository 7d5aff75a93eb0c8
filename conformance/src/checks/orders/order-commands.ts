import type { Check } from '../../context/check.ts';
import { codeOf, expect } from '../../context/expectations.ts';
import { openLedgerCheck, readBalance, refundOf, reserveOf } from '../../fixtures/orders/ledger-check.ts';
import {
  acceptedOrder,
  act,
  actInSequence,
  actionPath,
  bodyOf,
  expectOrder,
  expectUnchanged,
  fund,
  largestAmount,
  makeOffer,
  orderOf,
  orderParties,
  postAction,
  refund,
  refundTurns,
  type Turn,
} from '../../fixtures/orders/ordering.ts';

const needs = ['credits'] as const;
const byCustomer = ['cancel', 'customer'] as const;

/** The members of an action. */
export const orderCommandChecks: readonly Check[] = [
  {
    id: 'orders.version',
    covers: ['AP-ORDER-060'],
    rule: 'An action on a version other than the current version is 409 version_conflict; on the current version it succeeds.',
    cost: { writes: 5 },
    async judge(run) {
      const parties = await orderParties(run);
      const offer = await makeOffer(parties, 'customer');
      for (const version of [offer.version + 1, offer.version + 1_000]) {
        const answer = await postAction(parties, offer, byCustomer, { expected_version: version });
        expect.refusal(answer, 409, 'version_conflict');
      }
      await expectUnchanged(parties, offer);
      await act(parties, offer, ...byCustomer);
    },
  },
  {
    id: 'orders.old-version',
    covers: ['AP-ORDER-060'],
    rule: 'An action based on an earlier version is 409 version_conflict.',
    cost: { writes: 6, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      await fund(parties);
      const offer = await makeOffer(parties, 'customer');
      const order = await act(parties, offer, 'accept', 'contractor');
      const answer = await postAction(parties, order, ['start', 'contractor'], { expected_version: offer.version });
      expect.refusal(answer, 409, 'version_conflict');
      await expectUnchanged(parties, order);
      await refund(parties, await act(parties, order, 'start', 'contractor'));
    },
  },
  {
    id: 'orders.command-members',
    covers: ['AP-ORDER-061'],
    rule: 'An action requires an operation_id, a UUID, and an expected_version, an integer.',
    cost: { writes: 11 },
    async judge(run) {
      const parties = await orderParties(run);
      const offer = await makeOffer(parties, 'customer');
      const versions = [undefined, String(offer.version), true, offer.version + 0.5, null];
      for (const change of [
        ...versions.map((version) => ({ expected_version: version })),
        ...[undefined, 'no-uuid', 7].map((id) => ({ operation_id: id })),
      ]) {
        expect.malformed(await postAction(parties, offer, byCustomer, change));
      }
      await expectUnchanged(parties, offer);
      await act(parties, offer, ...byCustomer);
    },
  },
  {
    id: 'orders.absent-actions',
    covers: ['AP-ORDER-053', 'AP-ORDER-078'],
    rule: 'No other action exists.',
    cost: { writes: 7 },
    async judge(run) {
      const parties = await orderParties(run);
      const offer = await makeOffer(parties, 'customer');
      for (const action of ['expire', 'resume', 'arbitrate', 'partial-refund']) {
        expect.refused(await parties.customer.post(actionPath(offer.id, action), bodyOf(...byCustomer, offer)));
      }
      await expectUnchanged(parties, offer);
      await act(parties, offer, ...byCustomer);
    },
  },
  {
    id: 'orders.uncovered',
    covers: ['AP-ORDER-063'],
    rule: 'A total above the available credits is 409 insufficient_funds, and nothing is reserved.',
    cost: { writes: 4 },
    async judge(run) {
      const parties = await orderParties(run);
      const ledger = await openLedgerCheck(parties);
      // Far above any balance; the customer meets the refusal by accepting an offer of the contractor.
      const offer = await makeOffer(parties, 'contractor', largestAmount(1_000_000_000_000, parties.feeBps));
      expect.refusal(await postAction(parties, offer, ['accept', 'customer']), 409, 'insufficient_funds');
      await expectUnchanged(parties, offer);
      await ledger.expectChange();
      await ledger.expectEntries();
      await act(parties, offer, 'reject', 'customer');
    },
  },
  {
    id: 'orders.cover',
    covers: ['AP-ORDER-063', 'AP-ORDER-054'],
    rule: 'A customer can reserve all available credits, but not a minor unit more.',
    cost: { writes: 6, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      await fund(parties, 5);
      const { available } = await readBalance(parties.customer);
      const largest = largestAmount(available, parties.feeBps);
      const ledger = await openLedgerCheck(parties);
      const tooMuch = await makeOffer(parties, 'customer', largest + 1);
      expect.refusal(await postAction(parties, tooMuch, ['accept', 'contractor']), 409, 'insufficient_funds');
      await expectUnchanged(parties, tooMuch);
      await ledger.expectChange();
      const order = await act(parties, await makeOffer(parties, 'customer', largest), 'accept', 'contractor');
      await ledger.expectChange(reserveOf(order.price));
      await refund(parties, order);
      await ledger.expectChange(refundOf(order.price));
      await ledger.expectEntries();
    },
  },
  {
    id: 'orders.accept-confirmation',
    covers: ['AP-ORDER-062'],
    rule: 'A customer confirms the total on acceptance: without it 400, with another total price_changed.',
    cost: { writes: 8, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      await fund(parties, 15);
      const offer = await makeOffer(parties, 'contractor', 15);
      const { totalMinor } = offer.price;
      const accept = (confirmed: unknown) =>
        postAction(parties, offer, ['accept', 'customer'], { confirmed_total_minor: confirmed });
      for (const wrong of [undefined, String(totalMinor)]) expect.malformed(await accept(wrong));
      for (const other of [totalMinor - 1, totalMinor + 1]) expect.refusal(await accept(other), 409, 'price_changed');
      await expectUnchanged(parties, offer);
      await refund(parties, await act(parties, offer, 'accept', 'customer'));
    },
  },
  reasonCheck(['dispute', 'contractor'], refundTurns),
  reasonCheck(['propose-refund', 'customer'], [['approve-refund', 'contractor']]),
  {
    id: 'orders.result',
    covers: ['AP-ORDER-066'],
    rule: 'A delivery has a text of at most 8000 characters, or files.',
    cost: { writes: 9, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      const order = await acceptedOrder(parties, [['start', 'contractor']]);
      const deliver = (text: unknown) => postAction(parties, order, ['deliver', 'contractor'], { result_text: text });
      const longest = 'r'.repeat(8000);
      for (const wrong of [`${longest}r`, 7]) expect.malformed(await deliver(wrong));
      // The refusal of an empty delivery is stated, its status and code are not.
      const empty = await deliver(undefined);
      expect.refused(empty);
      expect.code(empty);
      await expectUnchanged(parties, order);
      const delivered = await deliver(longest);
      expect.members(expectOrder(delivered, 200), { state: 'delivered', result_text: longest }, delivered);
      await refund(parties, orderOf(delivered, order.author));
    },
  },
  {
    id: 'orders.changed-commands',
    covers: ['AP-ORDER-072'],
    rule: 'A used operation_id with changed content is 409 idempotency_conflict.',
    cost: { writes: 12, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      await fund(parties, 5);
      let order = await makeOffer(parties, 'contractor', 5);
      const steps: readonly (readonly [turn: Turn, change: object])[] = [
        [['accept', 'customer'], { confirmed_total_minor: order.price.totalMinor + 1 }],
        [['start', 'contractor'], { expected_version: order.version + 7 }],
        [['deliver', 'contractor'], { result_text: 'There it was.' }],
        [['dispute', 'customer'], { reason: 'It is a house.' }],
        [['propose-refund', 'contractor'], { reason: 'It is a house.' }],
      ];
      for (const [[action, role], change] of steps) {
        const body = bodyOf(action, role, order);
        const done = expect.status(await postAction(parties, order, [action, role], body), 200);
        order = orderOf(done, order.author);
        const answer = await postAction(parties, order, [action, role], { ...body, ...change });
        const isConflict = codeOf(answer) === 'idempotency_conflict';
        expect(isConflict, `another ${Object.keys(change).join()}: ${answer.status} ${codeOf(answer)}`, answer);
        expect.status(answer, 409);
        await expectUnchanged(parties, order);
      }
      await act(parties, order, 'approve-refund', 'customer');
    },
  },
];

function reasonCheck(turn: Turn, toTheEnd: readonly Turn[]): Check {
  const [action] = turn;
  return {
    id: `orders.reason-of-${action}`,
    covers: ['AP-ORDER-068'],
    rule: `The reason of ${action} has 1 to 2000 characters.`,
    cost: { writes: 10, creditsMinor: 100 },
    needs,
    async judge(run) {
      const parties = await orderParties(run);
      const order = await acceptedOrder(parties);
      const give = (reason: unknown) => postAction(parties, order, turn, { reason });
      const longest = 'w'.repeat(2000);
      for (const wrong of ['', `${longest}w`, 7, undefined]) expect.malformed(await give(wrong));
      await expectUnchanged(parties, order);
      const given = await give(longest);
      expect.members(expectOrder(given, 200), { state: 'disputed' }, given);
      await actInSequence(parties, orderOf(given, order.author), toTheEnd);
    },
  };
}
