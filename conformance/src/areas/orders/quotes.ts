import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { ordersPath, quotePath } from '../../context/paths.ts';
import { readPage } from '../paging.ts';
import { readBalance } from './ledger-check.ts';
import { expectQuote, findLargestAmount, priceOf } from './ordering.ts';

// The specified maximum total price.
const totalMaxMinor = 1_000_000_000_000;
// At 1000 basis points, the commission is rounded down for 4 and up for 5. The last amount times 10 000 exceeds 2^53.
const amounts = [1, 4, 5, 14, 15, 1_005, 900_719_925_475];

export const quoteChecks: readonly Check[] = [
  {
    id: 'quote.price',
    covers: ['AP-ORDER-001', 'AP-ORDER-002', 'AP-ORDER-003', 'AP-TRANSPORT-004'],
    rule: 'A quote contains the reward, the commission rounded half up, its rate and the total.',
    cost: { writes: amounts.length },
    async judge(run) {
      for (const amountMinor of amounts) {
        const answer = await requestQuote(run, amountMinor);
        const quote = expectQuote(answer);
        const amount = (name: string) => expect.integer(quote, name, answer);
        await run.requirement('AP-TRANSPORT-004', () => ['amount_minor', 'fee_minor', 'total_minor'].map(amount));
        await run.requirement('AP-ORDER-001', () => {
          expect.member(quote, 'amount_minor', amountMinor, answer);
          amount('fee_bps');
        });
        await run.requirement('AP-ORDER-003', () => {
          const { feeMinor } = priceOf(amountMinor, amount('fee_bps'));
          expect.member(quote, 'fee_minor', feeMinor, answer);
        });
        await run.requirement('AP-ORDER-002', () =>
          expect.member(quote, 'total_minor', amountMinor + amount('fee_minor'), answer),
        );
      }
    },
  },
  {
    id: 'quote.bound',
    covers: ['AP-ORDER-006'],
    rule: 'A total of 10^12 minor units is quoted, and a reward with a higher total is refused with 400.',
    cost: { writes: 3 },
    async judge(run) {
      const small = await requestQuote(run, 100);
      const largest = findLargestAmount(totalMaxMinor, expect.integer(expectQuote(small), 'fee_bps', small));
      const answer = expect.status(await requestQuote(run, largest), 200);
      expect.member(expectQuote(answer), 'amount_minor', largest, answer);
      expect.malformed(await requestQuote(run, largest + 1));
    },
  },
  {
    id: 'quote.amount',
    covers: ['AP-ORDER-005'],
    rule: 'An amount that is not an integer is refused with 400 and never coerced.',
    cost: { writes: 6 },
    async judge(run) {
      const valid = await requestQuote(run, 4);
      expect.member(expectQuote(valid), 'amount_minor', 4, valid);
      for (const amount of ['4', true, 4.5, null, undefined]) expect.malformed(await requestQuote(run, amount));
    },
  },
  defineCheck((run) => run.partnerAgent(), {
    id: 'quote.nothing-done',
    covers: ['AP-ORDER-004'],
    rule: 'A quote reserves nothing and creates no order.',
    cost: { writes: 1 },
    async judge(agent, run) {
      const read = async () => {
        const list = await readPage(agent, ordersPath);
        const { available, reserved } = await readBalance(run, agent);
        // Only these members, because others, such as signed URLs, may change with each answer.
        const orders = JSON.stringify(expect.list(list), ['id', 'state', 'version']);
        return { list, orders, balance: `${available} and ${reserved} reserved` };
      };
      const before = await read();
      expectQuote(await requestQuote(run, 4));
      const after = await read();
      expect(after.orders === before.orders, 'the list of orders has changed', after.list);
      expect(after.balance === before.balance, `the balance is ${after.balance} instead of ${before.balance}`);
    },
  }),
];

async function requestQuote(run: Run, amount: unknown): Promise<Exchange> {
  return await (await run.partnerAgent()).post(quotePath, { amount_minor: amount });
}
