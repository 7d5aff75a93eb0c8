import { parseFaults } from '../fault-language.ts';
import { changeInnerObject, isAbout, type MutableObject, withJson } from '../faults.ts';
import { isOrderAction, quoteRequest } from '../order-faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';

const wallet = 'GET /api/v1/wallet';

export const walletMutants = parseFaults(
  'wallet',
  `
has a thousand minor units a credit | fields | GET /wallet 200 -> set wallet.minor_per_credit 1000
sells credits | fields | GET /wallet 200 -> set wallet.can_purchase true
pays credits out | fields | GET /wallet 200 -> set wallet.can_withdraw true
counts reserved credits as available | orders.cover | GET /wallet 200 -> map wallet withoutReserve
ignores the query of a wallet | query | * <- path wallet[?].* wallet
shows wallets to anybody | access | * /wallet <- as-last-caller
names the list of a history items | history-bounds | GET /wallet/history* 200 -> rename entries items
ignores other parameters of a history | history-bounds | GET /wallet/history* <- query drop mood
calls a grant a gift | grant | GET /wallet/history* 200 -> change entries[].kind "grant" "gift"
names no order in its ledger | reserve-entries | GET /wallet/history* 200 -> set entries[].order_id null
tells all of a history by default | history-pages | GET /wallet/history* <- query default limit 100
reserves credits with a quote | quote.nothing-done | = reservesQuotes
loses a minor unit with each payment | orders.lifecycle-to-payment orders.after-a-block | = losesUnits
`,
  {
    withoutReserve: (seen: MutableObject) => ({ ...seen, available_minor: seen['total_minor'], reserved_minor: 0 }),
  },
  {
    reservesQuotes: () => counting((sent) => isAbout(sent, quoteRequest), 'reserved'),
    losesUnits: () => counting((sent) => isOrderAction(sent, 'complete'), 'total'),
  },
);

/** For each such request, shows one minor unit less as available, and one more as reserved or one less in total. */
function counting(isMeant: (request: ProxiedRequest) => boolean, account: 'reserved' | 'total'): Fault {
  const paths = new Set<string>();
  let count = 0;
  const moved = changeInnerObject('wallet', (seen) => ({
    ...seen,
    available_minor: Number(seen['available_minor']) - count,
    [`${account}_minor`]: Number(seen[`${account}_minor`]) + (account === 'total' ? -count : count),
  }));
  return {
    onReply: (passing, sent) => {
      // A repeated action has no effect, so it counts only once.
      const isNew = sent.path === '/api/v1/orders/quote' || !paths.has(sent.path);
      if (isMeant(sent) && passing.status === 200 && isNew) count += 1;
      if (isMeant(sent) && passing.status === 200) paths.add(sent.path);
      return isAbout(sent, wallet) ? withJson(passing, moved) : passing;
    },
  };
}
