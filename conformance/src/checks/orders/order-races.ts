import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectMember, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import { openLedgerCheck, readBalance } from '../../fixtures/orders/ledger-check.ts';
import type { OrderAction, Role } from '../../fixtures/orders/order-steps.ts';
import { orderSteps } from '../../fixtures/orders/order-steps.ts';
import {
  actInSequence,
  bodyOf,
  expectOrder,
  expectUnchanged,
  largestAmount,
  makeOffer,
  type Order,
  type OrderParties,
  orderOf,
  orderParties,
  postAction,
  postOrder,
  priceOf,
  readOrder,
  refund,
  termsOf,
} from '../../fixtures/orders/ordering.ts';

const twins = 3;
type Turn = readonly [action: OrderAction, role: Role];

/** What happens at the same time. */
export const orderRaceChecks: readonly Check[] = [
  {
    id: 'races.offers',
    covers: ['AP-ORDER-074'],
    rule: 'Concurrent identical offers create a single order: one answer is 201, the others are 200 with the same order.',
    cost: { writes: twins + 1 },
    async judge(run) {
      const market = await orderParties(run);
      const terms = termsOf(market, 'contractor');
      const answers = await atOnce(twins, () => postOrder(run, market.contractor, terms));
      const made = answers.filter(({ status }) => status === 201);
      expect(made.length === 1, `${made.length} of ${twins} answers are 201`, made[1] ?? answers[0]);
      const id = String(expectOrder(made[0] as Exchange)['id']);
      for (const answer of answers) {
        if (answer !== made[0]) expectStatus(answer, 200);
        expect(isSameId(expectOrder(answer)['id'], id), 'there are two orders', answer);
      }
    },
  },
  {
    id: 'races.accepts',
    covers: ['AP-ORDER-074'],
    rule: 'Concurrent identical acceptances reserve the total once, and all receive the same answer.',
    cost: { writes: twins + 5, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(5, market.feeBps).totalMinor * twins);
      const offer = await makeOffer(run, market, 'customer', 5);
      const books = await openLedgerCheck(run, market);
      const body = bodyOf('accept', 'contractor', offer);
      const accept = () => postAction(run, market.contractor, offer.id, 'accept', body);
      const answers = await atOnce(twins, accept);
      const done = answers.filter(isDone);
      // Declared for whoever meets another one in the ledger.
      const isRight = answers.every((answer) => isDone(answer) || codeOf(answer) === 'ledger_conflict');
      expect(
        isRight && done.length > 0,
        `the answers are ${tell(answers)}`,
        answers.find((one) => !isDone(one)),
      );
      const after = await accept();
      expectStatus(after, 200);
      for (const answer of [...done, after]) {
        expectMember(expectOrder(answer), 'version', expectOrder(after)['version'], answer);
        expectMember(expectOrder(answer), 'state', 'funded', answer);
      }
      const { totalMinor } = offer.price;
      await books.expectChange({ customer: { available: -totalMinor, reserved: totalMinor } });
      await books.expectEntries();
      await refund(run, market, orderOf(after, 'customer'));
    },
  },
  race('races.accept-or-cancel', 'AP-ORDER-075', [], ['accept', 'contractor'], ['cancel', 'customer']),
  race(
    'races.complete-or-dispute',
    'AP-ORDER-076',
    [
      ['accept', 'contractor'],
      ['start', 'contractor'],
      ['deliver', 'contractor'],
    ],
    ['complete', 'customer'],
    ['dispute', 'contractor'],
  ),
  {
    id: 'races.one-balance',
    covers: ['AP-ORDER-077', 'AP-ORDER-063'],
    rule: 'Of two concurrent acceptances with funds for one, exactly one is reserved.',
    cost: { writes: 7, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, 40);
      const { available } = await readBalance(run, market.customer);
      const amountMinor = largestAmount(available, market.feeBps) - 1;
      const offers = [
        await makeOffer(run, market, 'contractor', amountMinor),
        await makeOffer(run, market, 'contractor', amountMinor),
      ];
      const books = await openLedgerCheck(run, market);
      const answers = await Promise.all(
        offers.map((offer) =>
          postAction(run, market.customer, offer.id, 'accept', bodyOf('accept', 'customer', offer)),
        ),
      );
      const won = answers.findIndex(isDone);
      const lost = answers[1 - won];
      expect(won !== -1 && lost !== undefined, `the answers are ${tell(answers)}`, answers[0]);
      const code = codeOf(lost);
      const isRight = lost.status === 409 && (code === 'insufficient_funds' || code === 'ledger_conflict');
      expect(isRight, `the other was answered ${lost.status} ${code}`, lost);
      const [winner, loser] = [offers[won] as Order, offers[1 - won] as Order];
      await expectUnchanged(run, market, loser);
      const { totalMinor } = winner.price;
      await books.expectChange({ customer: { available: -totalMinor, reserved: totalMinor } });
      await refund(run, market, orderOf(answers[won] as Exchange, 'contractor'));
      await actInSequence(run, market, loser, [['cancel', 'contractor']]);
      await books.expectChange({ customer: { available: totalMinor, reserved: -totalMinor } });
      await books.expectEntries();
    },
  },
];

/** Two actions at once of which the order can take one: it takes one, and the other is told so. */
function race(id: string, requirement: string, before: readonly Turn[], one: Turn, other: Turn): Check {
  return {
    id,
    covers: [requirement],
    rule: `Of concurrent ${one[0]} and ${other[0]} a single action takes effect, and the other is 409 without effect.`,
    // The offer, the two at once, and two for the refund where the winner left something to give back.
    cost: { writes: 5 + before.length, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(5, market.feeBps).totalMinor);
      const offer = await makeOffer(run, market, 'customer', 5);
      const order = await actInSequence(run, market, offer, before);
      const books = await openLedgerCheck(run, market);
      const answers = await Promise.all(
        [one, other].map(([action, role]) =>
          postAction(run, market[role], order.id, action, bodyOf(action, role, order)),
        ),
      );
      const won = answers.findIndex(isDone);
      const lost = answers[1 - won];
      expect(won !== -1 && lost !== undefined, `the answers are ${tell(answers)}`, answers[0]);
      const right = ['version_conflict', 'state_conflict', 'ledger_conflict'];
      const isRight = lost.status === 409 && right.includes(codeOf(lost) ?? '');
      expect(isRight, `the other was answered ${lost.status} ${codeOf(lost)}`, lost);
      const after = await demandWinner(run, market, order, (won === 0 ? one : other)[0]);
      await books.expectChange(movesOf(after));
      await books.expectEntries();
      if (after.state === 'funded') await refund(run, market, after);
      if (after.state === 'disputed') {
        await actInSequence(run, market, after, [
          ['propose-refund', 'contractor'],
          ['approve-refund', 'customer'],
        ]);
      }
    },
  };
}

async function demandWinner(run: Run, market: OrderParties, order: Order, action: OrderAction): Promise<Order> {
  const read = await readOrder(run, market.customer, order.id);
  expectStatus(read, 200);
  expectMember(expectOrder(read), 'state', orderSteps[action].to, read);
  return orderOf(read, order.author);
}

function movesOf({ state, price }: Order): Parameters<Awaited<ReturnType<typeof openLedgerCheck>>['expectChange']>[0] {
  const { amountMinor, totalMinor } = price;
  if (state === 'funded') return { customer: { available: -totalMinor, reserved: totalMinor } };
  if (state !== 'closed') return {};
  return { customer: { available: 0, reserved: -totalMinor }, contractor: { available: amountMinor, reserved: 0 } };
}

function isDone({ status }: Exchange): boolean {
  return status === 200;
}

function tell(answers: readonly Exchange[]): string {
  return answers.map((answer) => `${answer.status} ${codeOf(answer) ?? ''}`.trim()).join(', ');
}

function atOnce(times: number, ask: () => Promise<Exchange>): Promise<readonly Exchange[]> {
  return Promise.all(Array.from({ length: times }, ask));
}
