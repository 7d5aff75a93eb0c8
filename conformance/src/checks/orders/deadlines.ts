import type { Check } from '../../context/check.ts';
import { expect, Skipped } from '../../context/expectations.ts';
import { fixture } from '../../context/fixture.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { mePath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { expectOrder, orderParties } from '../../fixtures/orders/ordering.ts';
import { now, sleep } from '../../world/time.ts';
import { given } from '../given.ts';

const aheadMs = 3_000;
const waitMaxMs = 15_000;
const pollMs = 200;
// A slow server needs several of its own answers until the offer is there.
const answersAhead = 4;

/** An offer whose deadline passes during the run; it is made early, so that no check waits for it. */
export const expiringOffer = fixture({ writes: 1 }, async (run) => {
  const parties = await orderParties(run);
  const startedMs = now();
  const serverNow = clockOf(await parties.contractor.get(mePath), run);
  const leadMs = Math.max(aheadMs, answersAhead * (now() - startedMs));
  const deadlineMs = Math.ceil((serverNow + leadMs) / 1_000) * 1_000;
  const deadline = new Date(deadlineMs).toISOString();
  return { order: await parties.offer('contractor', 4, { deadline }), deadlineMs, leadMs };
});

/** The same offer after its deadline. */
export const expiredOffer = fixture({}, async (run) => {
  const { order, deadlineMs, leadMs } = await expiringOffer(run);
  const giveUpAt = now() + waitMaxMs + answersAhead * leadMs;
  // The clock of the server has whole seconds, and the deadline itself is still in time.
  while (clockOf(await order.readAs('contractor'), run) <= deadlineMs) {
    if (now() > giveUpAt) throw new Skipped('the clock of the server does not reach the deadline of an offer');
    await sleep(pollMs);
  }
  return order;
});

/** The time of the server, as far as it sends one. */
function clockOf({ headers }: Exchange, run: Run): number {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? run.time.now() : date;
}

/** Deadlines of offers. */
export const deadlineChecks: readonly Check[] = [
  given(orderParties, {
    id: 'orders.deadline',
    covers: ['AP-ORDER-064'],
    rule: 'An offer can be accepted until its deadline, not after it: deadline_passed.',
    cost: { writes: 5, creditsMinor: 100 },
    fixtures: [expiringOffer, expiredOffer],
    async judge(parties) {
      const late = await expiredOffer(parties.run);
      await parties.fund();
      const offer = await parties.offer('contractor');
      const answer = await late.post(['accept', 'customer']);
      const { state } = expectOrder(await late.readAs('customer'));
      await (await offer.act('accept', 'customer')).refund();
      // Whether an offer changes its state at its deadline is not stated.
      const others = state === 'offered' ? [] : ['state_conflict', 'version_conflict'];
      expect.refused(answer, 'deadline_passed', ...others);
    },
  }),
];
