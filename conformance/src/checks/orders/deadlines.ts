import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import { expect, Skipped } from '../../context/expectations.ts';
import { fixture } from '../../context/fixture.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { mePath } from '../../context/paths.ts';
import {
  act,
  expectOrder,
  fund,
  makeOffer,
  type Order,
  orderOf,
  orderParties,
  postAction,
  postOffer,
  readOrder,
  refund,
} from '../../fixtures/orders/ordering.ts';

const aheadMs = 3_000;
const waitMaxMs = 15_000;
const pollMs = 200;

/** An offer whose deadline passes during the run; it is made early, so that no check waits for it. */
export const expiringOffer = fixture({ writes: 1 }, async (run) => {
  const parties = await orderParties(run);
  const now = clockOf(await parties.contractor.get(mePath));
  const deadlineMs = Math.ceil((now + aheadMs) / 1_000) * 1_000;
  const made = await postOffer(parties, 'contractor', { deadline: new Date(deadlineMs).toISOString() });
  expect.status(made, 201);
  return { parties, order: orderOf(made, 'contractor'), deadlineMs };
});

/** The same offer after its deadline. */
export const expiredOffer = fixture<Order>({}, async (run) => {
  const { parties, order, deadlineMs } = await expiringOffer(run);
  const giveUpAt = Date.now() + waitMaxMs;
  // The clock of the server has whole seconds, and the deadline itself is still in time.
  while (clockOf(await readOrder(parties.contractor, order.id)) <= deadlineMs) {
    if (Date.now() > giveUpAt) throw new Skipped('the clock of the server does not reach the deadline of an offer');
    await sleep(pollMs);
  }
  return order;
});

/** The time of the server, as far as it sends one. */
function clockOf({ headers }: Exchange): number {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}

/** Deadlines of offers. */
export const deadlineChecks: readonly Check[] = [
  {
    id: 'orders.deadline',
    covers: ['AP-ORDER-064'],
    rule: 'An offer can be accepted until its deadline, not after it: deadline_passed.',
    cost: { writes: 5, creditsMinor: 100 },
    fixtures: [expiringOffer, expiredOffer],
    needs: ['credits'],
    async judge(run) {
      const parties = await orderParties(run);
      const late = await expiredOffer(run);
      await fund(parties);
      const offer = await makeOffer(parties, 'contractor');
      const answer = await postAction(parties, late, ['accept', 'customer']);
      const { state } = expectOrder(await readOrder(parties.customer, late.id));
      await refund(parties, await act(parties, offer, 'accept', 'customer'));
      // Whether an offer changes its state at its deadline is not stated.
      const others = state === 'offered' ? [] : ['state_conflict', 'version_conflict'];
      expect.refused(answer, 'deadline_passed', ...others);
    },
  },
];
