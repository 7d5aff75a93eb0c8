import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectStatus, Skipped } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { Run } from '../../context/run.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import {
  actInSequence,
  bodyOf,
  expectOrder,
  makeOffer,
  type Order,
  type OrderParties,
  orderOf,
  orderParties,
  postAction,
  postOrder,
  readOrder,
  refund,
  termsOf,
} from '../../fixtures/orders/ordering.ts';

/** An offer whose deadline passes while the run goes on. */
interface ExpiringOffer {
  readonly order: Order;
  readonly deadlineMs: number;
}

const aheadMs = 3_000;
const waitMaxMs = 15_000;
const lookAgainMs = 200;

const expiring = new WeakMap<Run, ExpiringOffer>();

/** Makes the offer whose deadline passes; once in a run, so that nobody waits for it twice. */
export async function openExpiringOffer(run: Run, market: OrderParties): Promise<ExpiringOffer> {
  const known = expiring.get(run);
  if (known !== undefined) return known;
  const { token } = market.contractor;
  const deadlineMs = Math.ceil((clockOf(await run.send({ path: '/api/v1/bots/me', token })) + aheadMs) / 1_000) * 1_000;
  const deadline = new Date(deadlineMs).toISOString();
  const made = await postOrder(run, market.contractor, { ...termsOf(market, 'contractor'), deadline });
  expectStatus(made, 201);
  const opened = { order: orderOf(made, 'contractor'), deadlineMs };
  expiring.set(run, opened);
  return opened;
}

/** The same offer, when its deadline has passed for the server. */
export async function awaitExpiredOffer(run: Run, market: OrderParties): Promise<Order> {
  const { order, deadlineMs } = await openExpiringOffer(run, market);
  const giveUpAt = Date.now() + waitMaxMs;
  // What the server calls now has whole seconds: the moment itself may still be the deadline.
  while (clockOf(await readOrder(run, market.contractor, order.id)) <= deadlineMs) {
    if (Date.now() > giveUpAt) throw new Skipped('the clock of the server does not reach the deadline of an offer');
    await sleep(lookAgainMs);
  }
  return order;
}

/** What the server calls now, where it says so. */
function clockOf({ headers }: Exchange): number {
  const told = Date.parse(headers.date ?? '');
  return Number.isNaN(told) ? Date.now() : told;
}

/** What comes too late. */
export const deadlineChecks: readonly Check[] = [
  {
    id: 'orders.deadline',
    covers: ['AP-ORDER-064'],
    rule: 'An offer can be accepted until its deadline, not after it: deadline_passed.',
    cost: { writes: 6, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      const late = await awaitExpiredOffer(run, market);
      await ensureCredits(run, market.customer, late.price.totalMinor);
      const offer = await makeOffer(run, market, 'contractor');
      const answer = await postAction(run, market.customer, late.id, 'accept', bodyOf('accept', 'customer', late));
      const { state } = expectOrder(await readOrder(run, market.customer, late.id));
      // Whether offers expire by themselves is not stated; one that did is not offered any more.
      const codes =
        state === 'offered' ? ['deadline_passed'] : ['deadline_passed', 'state_conflict', 'version_conflict'];
      const isRefused = answer.status >= 400 && answer.status < 500 && codes.includes(codeOf(answer) ?? '');
      const twin = await actInSequence(run, market, offer, [['accept', 'customer']]);
      await refund(run, market, twin);
      expect(isRefused, `it was answered ${answer.status} ${codeOf(answer)}`, answer);
    },
  },
];
