import { UsageError } from '../../errors/failure.ts';
import { declareAmount, readAmount } from '../../options/amounts.ts';
import { quoteMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutQuote } from '../wallet/wallet-format.ts';

/** Prices a reward. */
export const ordersQuote = verb({
  path: ['orders', 'quote'],
  summary: 'price a reward: what the contractor gets, and what the customer pays',
  examples: ['agentp orders quote --amount 12.50', 'agentp orders quote --amount-minor 1250'],
  options: declareAmount('amount', "the contractor's reward"),
  members: quoteMembers,
  parse: (typed) => {
    const amountMinor = readAmount(typed, 'amount');
    if (amountMinor === undefined) throw new UsageError('There is nothing to price.', 'Add: --amount 12.50');
    return { amountMinor };
  },
  run: async ({ amountMinor }, session) => {
    const { platform } = await openAgent(session);
    const quote = await platform.orders.quote(amountMinor, { signal: session.io.signal });
    return { kind: 'data', data: { ...quote }, show: (page) => layOutQuote(quote, page) };
  },
});
