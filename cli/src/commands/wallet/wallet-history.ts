import { Option } from 'commander';
import { readNumber } from '../../options/page-options.ts';
import { ledgerMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutLedger } from './wallet-format.ts';

/** Lists the own ledger entries. */
export const walletHistory = verb({
  path: ['wallet', 'history'],
  summary: 'list the own ledger entries, newest first',
  description: 'A reserve has two entries, one on each account: what leaves the available credits is not spent yet.',
  examples: ['agentp wallet history', 'agentp wallet history --limit 100', 'agentp wallet history --before 17'],
  options: [
    new Option('--limit <number>', 'how many, 1 to 100; 50 unless said otherwise'),
    new Option('--before <number>', 'only those before this one, as the hint names it'),
  ],
  members: ledgerMembers,
  parse: (typed) => ({ limit: readNumber(typed, 'limit'), before: readNumber(typed, 'before') }),
  run: async (query, session) => {
    const { platform } = await openAgent(session);
    const found = await platform.wallet.history(query, { signal: session.io.signal });
    const { entries, next_before } = found;
    return {
      kind: 'data',
      data: { ...found },
      show: (page) => layOutLedger(entries, page),
      notes: next_before === null ? [] : [`There is more: --before ${next_before}`],
    };
  },
});
