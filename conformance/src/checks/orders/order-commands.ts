import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectCode, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { JsonObject } from '../../context/json.ts';
import type { Run } from '../../context/run.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import { openLedgerCheck, readBalance } from '../../fixtures/orders/ledger-check.ts';
import type { OrderAction, Role } from '../../fixtures/orders/order-steps.ts';
import {
  act,
  actInSequence,
  bodyOf,
  expectOrder,
  expectUnchanged,
  largestAmount,
  makeOffer,
  type Order,
  type OrderParties,
  orderParties,
  postAction,
  priceOf,
  refund,
} from '../../fixtures/orders/ordering.ts';
import { malformedCodes } from '../transport/errors.ts';

/** What an action must say. */
export const orderCommandChecks: readonly Check[] = [
  {
    id: 'orders.version',
    covers: ['AP-ORDER-060'],
    rule: 'An action on a version other than the current version is 409 version_conflict; on the current version it succeeds.',
    cost: { writes: 5 },
    async judge(run) {
      const market = await orderParties(run);
      const offer = await makeOffer(run, market, 'customer');
      for (const version of [offer.version + 1, offer.version + 1_000]) {
        const answer = await cancel(run, market, offer, { expected_version: version });
        expectRefusal(answer, 409, 'version_conflict');
      }
      await expectUnchanged(run, market, offer);
      await act(run, market, offer, 'cancel', 'customer');
    },
  },
  {
    id: 'orders.old-version',
    covers: ['AP-ORDER-060'],
    rule: 'An action based on an earlier version is 409 version_conflict.',
    cost: { writes: 6, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(4, market.feeBps).totalMinor);
      const offer = await makeOffer(run, market, 'customer');
      const order = await act(run, market, offer, 'accept', 'contractor');
      const body = { ...bodyOf('start', 'contractor', order), expected_version: offer.version };
      const answer = await postAction(run, market.contractor, order.id, 'start', body);
      expectRefusal(answer, 409, 'version_conflict');
      await expectUnchanged(run, market, order);
      await refund(run, market, await act(run, market, order, 'start', 'contractor'));
    },
  },
  {
    id: 'orders.command-members',
    covers: ['AP-ORDER-061'],
    rule: 'An action requires an operation_id, a UUID, and an expected_version, an integer.',
    cost: { writes: 11 },
    async judge(run) {
      const market = await orderParties(run);
      const offer = await makeOffer(run, market, 'customer');
      const changes: readonly JsonObject[] = [
        ...[undefined, String(offer.version), true, offer.version + 0.5, null].map((version) => ({
          expected_version: version,
        })),
        ...[undefined, 'no-uuid', 7].map((id) => ({ operation_id: id })),
      ];
      for (const change of changes) {
        expectRefusal(await cancel(run, market, offer, change), 400, ...malformedCodes);
      }
      await expectUnchanged(run, market, offer);
      await act(run, market, offer, 'cancel', 'customer');
    },
  },
  {
    id: 'orders.absent-actions',
    covers: ['AP-ORDER-053', 'AP-ORDER-078'],
    rule: 'No other action exists.',
    cost: { writes: 7 },
    async judge(run) {
      const market = await orderParties(run);
      const offer = await makeOffer(run, market, 'customer');
      for (const action of ['expire', 'resume', 'arbitrate', 'partial-refund']) {
        const answer = await postAction(run, market.customer, offer.id, action, bodyOf('cancel', 'customer', offer));
        expect(answer.status >= 400 && answer.status < 500, `${action} was answered ${answer.status}`, answer);
      }
      await expectUnchanged(run, market, offer);
      await act(run, market, offer, 'cancel', 'customer');
    },
  },
  {
    id: 'orders.uncovered',
    covers: ['AP-ORDER-063'],
    rule: 'A total above the available credits is 409 insufficient_funds, and nothing is reserved.',
    cost: { writes: 4 },
    async judge(run) {
      const market = await orderParties(run);
      const books = await openLedgerCheck(run, market);
      // Far beyond what a run may have; the contractor offers, so that the customer learns it by accepting.
      const offer = await makeOffer(run, market, 'contractor', largestAmount(1_000_000_000_000, market.feeBps));
      const body = bodyOf('accept', 'customer', offer);
      expectRefusal(await postAction(run, market.customer, offer.id, 'accept', body), 409, 'insufficient_funds');
      await expectUnchanged(run, market, offer);
      await books.expectChange({});
      await books.expectEntries();
      await act(run, market, offer, 'reject', 'customer');
    },
  },
  {
    id: 'orders.cover',
    covers: ['AP-ORDER-063', 'AP-ORDER-054'],
    rule: 'A customer can reserve all available credits, but not a minor unit more.',
    cost: { writes: 6, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(5, market.feeBps).totalMinor);
      const { available } = await readBalance(run, market.customer);
      const most = largestAmount(available, market.feeBps);
      const books = await openLedgerCheck(run, market);
      const tooMuch = await makeOffer(run, market, 'customer', most + 1);
      const refused = bodyOf('accept', 'contractor', tooMuch);
      const answer = await postAction(run, market.contractor, tooMuch.id, 'accept', refused);
      expectRefusal(answer, 409, 'insufficient_funds');
      await expectUnchanged(run, market, tooMuch);
      await books.expectChange({});
      const all = await makeOffer(run, market, 'customer', most);
      const order = await act(run, market, all, 'accept', 'contractor');
      const { totalMinor } = all.price;
      await books.expectChange({ customer: { available: -totalMinor, reserved: totalMinor } });
      await refund(run, market, order);
      await books.expectChange({ customer: { available: totalMinor, reserved: -totalMinor } });
      await books.expectEntries();
    },
  },
  {
    id: 'orders.accept-confirmation',
    covers: ['AP-ORDER-062'],
    rule: 'A customer confirms the total on acceptance: without it 400, with another total price_changed.',
    cost: { writes: 8, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(15, market.feeBps).totalMinor);
      const offer = await makeOffer(run, market, 'contractor', 15);
      const { totalMinor } = offer.price;
      const accept = (confirmed: unknown) => {
        const body = { ...bodyOf('accept', 'customer', offer), confirmed_total_minor: confirmed };
        return postAction(run, market.customer, offer.id, 'accept', body);
      };
      for (const confirmed of [undefined, String(totalMinor)]) {
        expectRefusal(await accept(confirmed), 400, ...malformedCodes);
      }
      for (const confirmed of [totalMinor - 1, totalMinor + 1]) {
        expectRefusal(await accept(confirmed), 409, 'price_changed');
      }
      await expectUnchanged(run, market, offer);
      await refund(run, market, await act(run, market, offer, 'accept', 'customer'));
    },
  },
  reasonCheck('dispute', 'contractor', [
    ['propose-refund', 'contractor'],
    ['approve-refund', 'customer'],
  ]),
  reasonCheck('propose-refund', 'customer', [['approve-refund', 'contractor']]),
  {
    id: 'orders.result',
    covers: ['AP-ORDER-066'],
    rule: 'A delivery has a text of at most 8000 characters, or files.',
    cost: { writes: 9, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      const order = await accepted(run, market, [['start', 'contractor']]);
      const deliver = ({ result_text: text }: JsonObject) => {
        const { result_text: _, ...body } = bodyOf('deliver', 'contractor', order);
        return postAction(run, market.contractor, order.id, 'deliver', { ...body, result_text: text });
      };
      const text = 'r'.repeat(8000);
      for (const wrong of [`${text}r`, 7]) {
        expectRefusal(await deliver({ result_text: wrong }), 400, ...malformedCodes);
      }
      // That it needs something is stated, and how it is refused is not.
      const nothing = await deliver({});
      expect(nothing.status >= 400 && nothing.status < 500, `an empty one was answered ${nothing.status}`, nothing);
      expectCode(nothing);
      await expectUnchanged(run, market, order);
      const delivered = await deliver({ result_text: text });
      expectStatus(delivered, 200);
      expectMember(expectOrder(delivered), 'state', 'delivered', delivered);
      expectMember(expectOrder(delivered), 'result_text', text, delivered);
      await refund(run, market, { ...order, version: Number(expectOrder(delivered)['version']) });
    },
  },
  {
    id: 'orders.changed-commands',
    covers: ['AP-ORDER-072'],
    rule: 'A used operation_id with changed content is 409 idempotency_conflict.',
    cost: { writes: 12, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(5, market.feeBps).totalMinor);
      let order = await makeOffer(run, market, 'contractor', 5);
      const turns: readonly (readonly [action: OrderAction, role: Role, change: JsonObject])[] = [
        ['accept', 'customer', { confirmed_total_minor: order.price.totalMinor + 1 }],
        ['start', 'contractor', { expected_version: order.version + 7 }],
        ['deliver', 'contractor', { result_text: 'There it was.' }],
        ['dispute', 'customer', { reason: 'It is a house.' }],
        ['propose-refund', 'contractor', { reason: 'It is a house.' }],
      ];
      for (const [action, role, change] of turns) {
        const body = bodyOf(action, role, order);
        const done = await postAction(run, market[role], order.id, action, body);
        expectStatus(done, 200);
        order = { ...order, state: expectOrder(done)['state'], version: Number(expectOrder(done)['version']) };
        const other = await postAction(run, market[role], order.id, action, { ...body, ...change });
        const what = Object.keys(change).join();
        expect(codeOf(other) === 'idempotency_conflict', `another ${what} is ${other.status} ${codeOf(other)}`, other);
        expectStatus(other, 409);
        await expectUnchanged(run, market, order);
      }
      await act(run, market, order, 'approve-refund', 'customer');
    },
  },
];

function cancel(run: Run, market: OrderParties, offer: Order, change: JsonObject) {
  const body = { ...bodyOf('cancel', 'customer', offer), operation_id: randomUUID(), ...change };
  return postAction(run, market.customer, offer.id, 'cancel', body);
}

/** An order of the smallest kind that was accepted, and more. */
async function accepted(run: Run, market: OrderParties, more: readonly (readonly [OrderAction, Role])[] = []) {
  await ensureCredits(run, market.customer, priceOf(4, market.feeBps).totalMinor);
  const offer = await makeOffer(run, market, 'customer');
  return await actInSequence(run, market, offer, [['accept', 'contractor'], ...more]);
}

function reasonCheck(
  action: 'dispute' | 'propose-refund',
  role: Role,
  toTheEnd: readonly (readonly [OrderAction, Role])[],
): Check {
  return {
    id: `orders.reason-of-${action}`,
    covers: ['AP-ORDER-068'],
    rule: `The reason of ${action} has 1 to 2000 characters.`,
    cost: { writes: 10, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      const order = await accepted(run, market);
      const say = (reason: unknown) =>
        postAction(run, market[role], order.id, action, { ...bodyOf(action, role, order), reason });
      const longest = 'w'.repeat(2000);
      for (const reason of ['', `${longest}w`, 7, undefined]) {
        expectRefusal(await say(reason), 400, ...malformedCodes);
      }
      await expectUnchanged(run, market, order);
      const said = await say(longest);
      expectStatus(said, 200);
      expectMember(expectOrder(said), 'state', 'disputed', said);
      await actInSequence(run, market, { ...order, version: Number(expectOrder(said)['version']) }, toTheEnd);
    },
  };
}
