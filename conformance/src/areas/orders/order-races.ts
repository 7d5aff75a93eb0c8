import { type Check, defineCheck } from '../../context/check.ts';
import { errorCodeOf, expect, isSameId } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { ordersPath } from '../../context/paths.ts';
import { ensureCredits } from '../contacts/agent-pairs.ts';
import { sampleCases } from '../malformed.ts';
import { describeAnswer } from '../observation.ts';
import { readBalance, startLedgerCheck } from './ledger-check.ts';
import { orderSteps } from './order-steps.ts';
import {
  byContractor,
  byCustomer,
  expectOrder,
  findLargestAmount,
  type Order,
  orderParties,
  type PartyAction,
} from './ordering.ts';

const copies = 3;

const accept: PartyAction = ['accept', 'contractor'];
const start: PartyAction = ['start', 'contractor'];
const deliver: PartyAction = ['deliver', 'contractor'];
const dispute: PartyAction = ['dispute', 'customer'];
const propose: PartyAction = ['propose-refund', 'contractor'];
const cancel: PartyAction = ['cancel', 'customer'];
const reject: PartyAction = ['reject', 'contractor'];
const complete: PartyAction = ['complete', 'customer'];
const approve: PartyAction = ['approve-refund', 'customer'];

/** The rounds of an order, each with one action or two concurrent ones; the order may end in dispute. */
type Rounds = readonly (readonly [one: PartyAction, other?: PartyAction])[];

// Pairs each action with itself and with each action that it excludes, except pairs that have a separate check.
const races: readonly Rounds[] = [
  [
    [accept, accept],
    [start, start],
    [deliver, deliver],
    [complete, complete],
  ],
  [[accept], [dispute, dispute], [propose, propose], [approve, approve]],
  [[cancel, cancel]],
  [[reject, reject]],
  [[cancel, reject]],
  [[reject, accept]],
  [[accept], [start, dispute]],
  [[accept], [propose, start]],
  [[accept], [dispute, propose]],
  [[accept], [start], [deliver, dispute]],
  [[accept], [start], [propose, deliver]],
  [[accept], [start], [deliver], [complete, propose]],
];

export const orderRaceChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'races.offers',
    covers: ['AP-ORDER-074'],
    rule: 'Concurrent identical offers create a single order: one answer is 201, the others are 200 with the same order.',
    cost: { writes: copies + 2 },
    async judge(parties, run) {
      const terms = parties.terms('contractor');
      const answers = await repeatConcurrently(() => parties.contractor.post(ordersPath, terms));
      const repeated = await parties.contractor.post(ordersPath, terms);
      await run.precondition('AP-ORDER-023', () => expect.status(repeated, 200));
      const made = answers.filter(({ status }) => status === 201);
      expect(made.length === 1, `${made.length} of ${copies} answers are 201`, made[1] ?? answers[0]);
      const id = String(expectOrder(made[0] as Exchange)['id']);
      for (const answer of answers) {
        if (answer !== made[0]) expect.status(answer, 200);
        expect(isSameId(expectOrder(answer)['id'], id), 'there are two orders', answer);
      }
    },
  }),
  defineCheck(orderParties, {
    id: 'races.accepts',
    covers: ['AP-ORDER-074'],
    rule: 'Concurrent identical acceptances reserve the total once, and all receive the same answer; concurrent completions pay once.',
    cost: { writes: 2 * copies + 5, creditsMinor: 100 },
    async judge(parties, run) {
      await parties.fund(5, copies);
      const offer = await parties.offer('customer', 5);
      const ledger = await startLedgerCheck(parties);
      const body = offer.body('accept', 'contractor');
      const accept = () => offer.post(['accept', 'contractor'], body);
      const answers = await repeatConcurrently(accept);
      const done = answers.filter(isDone);
      // An answer may be `ledger_conflict`, which is permitted when a ledger changes concurrently.
      const failed = answers.find((answer) => !isDone(answer) && errorCodeOf(answer) !== 'ledger_conflict');
      expect(failed === undefined && done.length > 0, `the answers are ${describe(answers)}`, failed ?? answers[0]);
      const after = expect.status(await accept(), 200);
      const { version } = expectOrder(after);
      for (const answer of [...done, after]) expect.members(expectOrder(answer), { version, state: 'funded' }, answer);
      await run.precondition('AP-ORDER-054', () => ledger.expectChange('reserve', offer.price));
      const work = await offer.after(after).actInSequence([byContractor('start'), byContractor('deliver')]);
      const payment = work.body('complete', 'customer');
      const paid = await repeatConcurrently(() => work.post(['complete', 'customer'], payment));
      expect(paid.some(isDone), `the answers are ${describe(paid)}`, paid[0]);
      await run.precondition('AP-ORDER-055', () => ledger.expectChange('pay', offer.price));
      await ledger.expectEntries();
    },
  }),
  raceCheck('races.accept-or-cancel', 'AP-ORDER-075', [], ['accept', 'contractor'], ['cancel', 'customer']),
  raceCheck(
    'races.complete-or-dispute',
    'AP-ORDER-076',
    [byContractor('accept'), byContractor('start'), byContractor('deliver')],
    byCustomer('complete'),
    byContractor('dispute'),
  ),
  defineCheck(orderParties, {
    id: 'races.every-pair',
    covers: ['AP-ORDER-075'],
    rule: 'Of any two concurrent actions on one version one succeeds, and the other is 409 without an effect.',
    cost: { writes: 24, creditsMinor: 100 },
    costWithoutPace: { writes: 90, creditsMinor: 100 },
    async judge(parties, run) {
      const { made, cases } = sampleCases(run, races, 2);
      await run.requirement(
        'AP-ORDER-075',
        async () => {
          for (const rounds of made) {
            await parties.fund(5);
            let order = await parties.offer('customer', 5);
            for (const [one, other] of rounds)
              order = other === undefined ? await order.act(...one) : await race(order, one, other);
            if (['funded', 'in_progress', 'delivered', 'disputed'].includes(String(order.state)))
              await endDispute(order);
          }
        },
        { cases },
      );
    },
  }),
  defineCheck(orderParties, {
    id: 'races.one-balance',
    covers: ['AP-ORDER-077', 'AP-ORDER-063'],
    rule: 'Of two concurrent acceptances with funds for one, exactly one is reserved.',
    cost: { writes: 7, creditsMinor: 100 },
    async judge(parties, run) {
      await ensureCredits(run, parties.customer, 40);
      const { available } = await readBalance(run, parties.customer);
      const amountMinor = findLargestAmount(available, parties.feeBps) - 1;
      const first = await parties.offer('contractor', amountMinor);
      const offers = [first, await parties.offer('contractor', amountMinor)];
      const ledger = await startLedgerCheck(parties);
      const accepts = offers.map((offer) => offer.post(['accept', 'customer']));
      const answers = await Promise.all(accepts);
      const won = await run.precondition('AP-ORDER-077', async () => {
        const winner = expectOneWinner(answers, ['insufficient_funds', 'ledger_conflict']);
        return winner;
      });
      await run.precondition('AP-ORDER-054', () => ledger.expectChange('reserve', first.price));
      const loser = offers[1 - won.index] as Order;
      await run.requirement('AP-ORDER-063', () => loser.expectUnchanged());
      await first.after(won.answer).refund();
      await loser.act('cancel', 'contractor');
      await ledger.expectChange('return', first.price);
      await ledger.expectEntries();
    },
  }),
];

function raceCheck(
  id: string,
  requirement: string,
  before: readonly PartyAction[],
  one: PartyAction,
  other: PartyAction,
): Check {
  return defineCheck(orderParties, {
    id,
    covers: [requirement],
    rule: `Of concurrent ${one[0]} and ${other[0]} one succeeds; the other is 409 without an effect.`,
    // The writes are the offer, both actions, and a refund if credits stay reserved after the race.
    cost: { writes: 5 + before.length, creditsMinor: 100 },
    async judge(parties) {
      await parties.fund(5);
      const offer = await parties.offer('customer', 5);
      const order = await offer.actInSequence(before);
      const ledger = await startLedgerCheck(parties);
      const answers = await Promise.all([one, other].map((turn) => order.post(turn)));
      const won = expectOneWinner(answers, ['version_conflict', 'state_conflict', 'ledger_conflict']);
      const [action] = won.index === 0 ? one : other;
      const read = await order.readAs('customer');
      expect.members(expectOrder(read, 200), { state: orderSteps[action].to }, read);
      const after = order.after(read);
      await ledger.expectChange(orderSteps[action].credits, after.price);
      await ledger.expectEntries();
      if (after.state === 'funded' || after.state === 'disputed') await after.refund();
    },
  });
}

/** Uses the existing refund proposal or makes a new one, so that no credits stay reserved. */
async function endDispute(order: Order): Promise<void> {
  const proposed = await order.post(propose);
  await (proposed.status === 200 ? order.after(proposed) : order).act(...approve);
}

async function race(order: Order, one: PartyAction, other: PartyAction): Promise<Order> {
  const answers = await Promise.all([one, other].map((turn) => order.post(turn)));
  // The last code is the one for a second refund proposal.
  const codes = ['version_conflict', 'state_conflict', 'ledger_conflict', 'refund_proposal_exists'];
  const won = expectOneWinner(answers, codes);
  const after = order.after(await order.readAs('customer'));
  expect(after.state === orderSteps[(won.index === 0 ? one : other)[0]].to, `the order is ${after.state}`, won.answer);
  return after;
}

function expectOneWinner(answers: readonly Exchange[], codes: readonly string[]) {
  const index = answers.findIndex(isDone);
  const [answer, lost] = [answers[index], answers[1 - index]];
  expect(answer !== undefined && lost !== undefined, `the answers are ${describe(answers)}`, answers[0]);
  const isRight = lost.status === 409 && codes.includes(expect.code(lost));
  expect(isRight, `the other answer is ${describeAnswer(lost)}`, lost);
  return { index, answer };
}

function isDone({ status }: Exchange): boolean {
  return status === 200;
}

function describe(answers: readonly Exchange[]): string {
  return answers.map(describeAnswer).join(', ');
}

function repeatConcurrently(send: () => Promise<Exchange>): Promise<readonly Exchange[]> {
  return Promise.all(Array.from({ length: copies }, send));
}
