import type { Check } from '../../context/check.ts';
import { expect, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { ordersPath, quotePath } from '../../context/paths.ts';
import { expectList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { readBalance } from '../../fixtures/orders/ledger-check.ts';
import { expectInteger, expectQuote, largestAmount, priceOf } from '../../fixtures/orders/ordering.ts';
import { malformedCodes } from '../transport/errors.ts';

// Stated: a reserve is up to 10^12 minor units.
const totalMaxMinor = 1_000_000_000_000;
// At 1000 of 10000 the commission of 4 rounds down and that of 5 up; the last product is beyond 2^53.
const amounts = [1, 4, 5, 14, 15, 1_005, 900_719_925_475];

/** What an order would cost. */
export const quoteChecks: readonly Check[] = [
  {
    id: 'quote.price',
    covers: ['AP-ORDER-001', 'AP-ORDER-002', 'AP-ORDER-003', 'AP-TRANSPORT-004'],
    rule: 'A quote contains the reward, the commission rounded half up, its rate and the total.',
    cost: { writes: amounts.length },
    async judge(run) {
      for (const amountMinor of amounts) {
        const answer = await quote(run, amountMinor);
        expectStatus(answer, 200);
        const seen = expectQuote(answer);
        const { feeMinor, totalMinor } = priceOf(amountMinor, expectInteger(seen, 'fee_bps', answer));
        expectMember(seen, 'amount_minor', amountMinor, answer);
        expectMember(seen, 'fee_minor', feeMinor, answer);
        expectMember(seen, 'total_minor', totalMinor, answer);
      }
    },
  },
  {
    id: 'quote.bound',
    covers: ['AP-ORDER-006'],
    rule: 'A total of 10^12 minor units is quoted, and a reward with a higher total is refused with 400.',
    cost: { writes: 3 },
    async judge(run) {
      const small = await quote(run, 100);
      expectStatus(small, 200);
      const largest = largestAmount(totalMaxMinor, expectInteger(expectQuote(small), 'fee_bps', small));
      const answer = await quote(run, largest);
      expectStatus(answer, 200);
      expectMember(expectQuote(answer), 'amount_minor', largest, answer);
      expectRefusal(await quote(run, largest + 1), 400, ...malformedCodes);
    },
  },
  {
    id: 'quote.amount',
    covers: ['AP-ORDER-005', 'AP-TRANSPORT-004'],
    rule: 'An amount that is not an integer is refused with 400 and never coerced.',
    cost: { writes: 6 },
    async judge(run) {
      const twin = await quote(run, 4);
      expectStatus(twin, 200);
      expectMember(expectQuote(twin), 'amount_minor', 4, twin);
      for (const amount of ['4', true, 4.5, null, undefined]) {
        expectRefusal(await quote(run, amount), 400, ...malformedCodes);
      }
    },
  },
  {
    id: 'quote.nothing-done',
    covers: ['AP-ORDER-004'],
    rule: 'A quote reserves nothing and creates no order.',
    cost: { writes: 1 },
    async judge(run) {
      const agent = await run.partnerAgent();
      const look = async () => {
        const list = await run.send({ path: `${ordersPath}?page_size=50`, token: agent.token });
        expectStatus(list, 200);
        return { list, orders: JSON.stringify(expectList(list)), balance: await readBalance(run, agent) };
      };
      const before = await look();
      expectStatus(await quote(run, 4), 200);
      const after = await look();
      expect(after.orders === before.orders, 'the orders are other ones', after.list);
      const { available, reserved } = before.balance;
      const { balance } = after;
      expect(balance.available === available && balance.reserved === reserved, 'the wallet has changed', balance.seen);
    },
  },
];

async function quote(run: Run, amount: unknown): Promise<Exchange> {
  const { token } = await run.partnerAgent();
  return await run.send({ method: 'POST', path: quotePath, token, json: { amount_minor: amount } });
}
