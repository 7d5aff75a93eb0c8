import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect, isTimestamp, SkippedError } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { listStrings } from '../../context/json.ts';
import { mePath } from '../../context/paths.ts';
import { expectHistoryEntry } from './order-lifecycle.ts';
import { expectOrder, orderParties } from './ordering.ts';

const aheadMs = 3_000;
const waitMaxMs = 15_000;
const pollMs = 200;
// On a slow server, the deadline is this many response times in the future.
const answersAhead = 4;
// The precision of a `Date` header.
const clockStepMs = 1_000;
// How late a `Date` header may be: many servers update it once a second, and busy ones answer late.
const clockLateMs = 1_000;
const offerAttempts = 3;

/** Made early, so that no check has to wait for the deadline. */
export const expiringOffer = defineFixture({ writes: 1 + offerAttempts }, async (run) => {
  const parties = await orderParties(run);
  const open = await parties.offer('contractor');
  let leadMs = aheadMs;
  for (let attempt = 1; attempt <= offerAttempts; attempt += 1) {
    const startedMs = run.clock.now();
    const serverNow = clockOf(await parties.contractor.get(mePath), run);
    leadMs = Math.max(leadMs, answersAhead * (run.clock.now() - startedMs));
    const deadlineMs = Math.ceil((serverNow + leadMs) / clockStepMs) * clockStepMs;
    const answer = await parties.postOffer('contractor', { deadline: new Date(deadlineMs).toISOString() });
    const tookMs = run.clock.now() - startedMs;
    // If the deadline passed before the server checked the offer, the refusal is correct.
    const isLate = tookMs > leadMs - clockStepMs - clockLateMs;
    if (answer.status === 201 || !isLate) {
      const order = await parties.expectOffer('contractor', answer);
      return { order, open, deadlineMs, leadMs };
    }
    leadMs = answersAhead * tookMs;
  }
  throw new SkippedError(`the server takes too long for an offer whose deadline passes in ${leadMs / 1_000} s`);
});

export const expiredOffer = defineFixture({}, async (run) => {
  const { order, deadlineMs, leadMs } = await expiringOffer(run);
  const giveUpAt = run.clock.now() + waitMaxMs + answersAhead * leadMs;
  // Waits until `Date`, which has whole seconds, is later than the deadline: at the deadline, the offer is still valid.
  while (clockOf(await order.readAs('contractor'), run) <= deadlineMs) {
    if (run.clock.now() > giveUpAt)
      throw new SkippedError('the clock of the server did not reach the deadline of an offer');
    await run.clock.sleep(pollMs);
  }
  return order;
});

/** The server's time, from its `Date` header if it sends one. */
function clockOf({ headers }: Exchange, run: Run): number {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? run.time.now() : date;
}

export const deadlineCheck: Check = defineCheck(orderParties, {
  id: 'orders.deadline',
  covers: ['AP-ORDER-064', 'AP-ORDER-032'],
  rule: 'An offer can be accepted until its deadline, not after it: deadline_passed. Its history has the time of each change.',
  cost: { writes: 4, creditsMinor: 100 },
  fixtures: [expiringOffer, expiredOffer],
  async judge(parties, run) {
    const late = await expiredOffer(parties.run);
    const { open, deadlineMs } = await expiringOffer(parties.run);
    await parties.fund();
    const answer = await late.post(['accept', 'customer']);
    const { state } = expectOrder(await late.readAs('customer'));
    const accepted = await open.act('accept', 'customer');
    const read = await accepted.readAs('contractor');
    await accepted.refund();
    // The specification does not state whether the deadline changes the state; if it did, more codes are correct.
    const others = state === 'offered' ? [] : ['state_conflict', 'version_conflict'];
    await run.requirement('AP-ORDER-064', () => expect.refused(answer, 'deadline_passed', ...others));
    await run.requirement('AP-ORDER-032', () => {
      // Timestamps without a time zone are ignored: the specification does not require one.
      const isZoned = (text: string) => isTimestamp(text) && /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text);
      const entry = listStrings(expectHistoryEntry(read, accepted.version));
      const times = entry.flatMap(({ text }) => (isZoned(text) ? [Date.parse(text)] : []));
      // Tolerates clock differences between server nodes of up to half the time from the offer to its deadline.
      const isLater = times.length === 0 || times.some((time) => time >= deadlineMs - aheadMs / 2);
      expect(isLater, 'the history dates an acceptance before the deadline of an offer that expired earlier', read);
    });
  },
});
