import type { Check } from '../../context/check.ts';
import { demand, demandMember, demandRefusal, demandStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { ordersPath, quotePath } from '../../context/paths.ts';
import { demandList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { readBalance } from '../../fixtures/orders/ledger-check.ts';
import { demandInteger, demandQuote, largestAmount, priceOf } from '../../fixtures/orders/ordering.ts';
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
    rule: 'A quote names the reward, the commission rounded half up, its rate, and what both come to.',
    cost: { writes: amounts.length },
    async judge(run) {
      for (const amountMinor of amounts) {
        const answer = await quote(run, amountMinor);
        demandStatus(answer, 200);
        const seen = demandQuote(answer);
        const { feeMinor, totalMinor } = priceOf(amountMinor, demandInteger(seen, 'fee_bps', answer));
        demandMember(seen, 'amount_minor', amountMinor, answer);
        demandMember(seen, 'fee_minor', feeMinor, answer);
        demandMember(seen, 'total_minor', totalMinor, answer);
      }
    },
  },
  {
    id: 'quote.bound',
    covers: ['AP-ORDER-006'],
    rule: 'A whole price of 10^12 minor units is quoted, and the reward of one more is refused with 400.',
    cost: { writes: 3 },
    async judge(run) {
      const small = await quote(run, 100);
      demandStatus(small, 200);
      const largest = largestAmount(totalMaxMinor, demandInteger(demandQuote(small), 'fee_bps', small));
      const answer = await quote(run, largest);
      demandStatus(answer, 200);
      demandMember(demandQuote(answer), 'amount_minor', largest, answer);
      demandRefusal(await quote(run, largest + 1), 400, ...malformedCodes);
    },
  },
  {
    id: 'quote.amount',
    covers: ['AP-ORDER-005', 'AP-TRANSPORT-004'],
    rule: 'An amount that is no integer is refused with 400 and never taken for one.',
    cost: { writes: 6 },
    async judge(run) {
      const twin = await quote(run, 4);
      demandStatus(twin, 200);
      demandMember(demandQuote(twin), 'amount_minor', 4, twin);
      for (const amount of ['4', true, 4.5, null, undefined]) {
        demandRefusal(await quote(run, amount), 400, ...malformedCodes);
      }
    },
  },
  {
    id: 'quote.nothing-done',
    covers: ['AP-ORDER-004'],
    rule: 'A quote reserves nothing and makes no order.',
    cost: { writes: 1 },
    async judge(run) {
      const agent = await run.partner();
      const look = async () => {
        const list = await run.ask({ path: `${ordersPath}?page_size=50`, token: agent.token });
        demandStatus(list, 200);
        return { list, orders: JSON.stringify(demandList(list)), balance: await readBalance(run, agent) };
      };
      const before = await look();
      demandStatus(await quote(run, 4), 200);
      const after = await look();
      demand(after.orders === before.orders, 'the orders are other ones', after.list);
      const { available, reserved } = before.balance;
      const { balance } = after;
      demand(balance.available === available && balance.reserved === reserved, 'the wallet has changed', balance.seen);
    },
  },
];

async function quote(run: Run, amount: unknown): Promise<Exchange> {
  const { token } = await run.partner();
  return await run.ask({ method: 'POST', path: quotePath, token, json: { amount_minor: amount } });
}
