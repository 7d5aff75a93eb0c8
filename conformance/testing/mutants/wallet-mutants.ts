import { randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import {
  type Changeable,
  inside,
  isAbout,
  items,
  path,
  query,
  reply,
  requestWhen,
  tokenOf,
  withToken,
} from '../faults.ts';
import { isAction, quoting } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { lendsTokens } from '../stateful-faults.ts';

const wallet = 'GET /api/v1/wallet';
const history = 'GET /api/v1/wallet/history';
const page = `${history}* 200`;
const inEntries = (change: Parameters<typeof items>[1]) => reply(page, items('entries', change));
const inEach = (change: (entry: Changeable) => Changeable) => inEntries((entries) => entries.map(change));
const inWallet = (damage: (seen: Changeable) => unknown) => reply(`${wallet} 200`, inside('wallet', damage));

/** Servers that show or keep credits wrongly. */
export const walletMutants = faultsOf(
  'wallet',
  `
belongs to production | fields | GET /wallet 200 -> set wallet.environment "production"
counts in euros | fields | GET /wallet 200 -> set wallet.unit "eur"
has a thousand minor units a credit | fields | GET /wallet 200 -> set wallet.minor_per_credit 1000
sells credits | fields | GET /wallet 200 -> set wallet.can_purchase true
pays credits out | fields | GET /wallet 200 -> set wallet.can_withdraw true
tells amounts as texts | fields | GET /wallet 200 -> set wallet.available_minor "0"
tells fractions of a minor unit | fields | GET /wallet 200 -> set wallet.reserved_minor 0.5
adds up nothing | fields | = wrongTotal
counts reserved credits as available | orders.cover | = hidesReserve
ignores the query of a wallet | query | = ignoresQuery
names another code for a query | query | GET /wallet?* -> 400 unknown_fields
shows wallets to anybody | access | = showsWallets
shows histories to anybody | access | = showsHistories
takes a limit of 101 | history-bounds | GET /wallet/history* <- query change limit 101 100
takes a limit of 0 | history-bounds | GET /wallet/history* <- query change limit 0 1
takes a fraction for a limit | history-bounds | GET /wallet/history* <- query change limit 1.5 1
takes words for a limit | history-bounds | GET /wallet/history* <- query change limit x 50
takes a bound of 0 | history-bounds | GET /wallet/history* <- query change before 0 1
takes a bound below 0 | history-bounds | GET /wallet/history* <- query change before -1 1
takes words for a bound | history-bounds | GET /wallet/history* <- query change before x 1
knows no bound of 64 bits | history-bounds | = smallBounds
calls a grant a gift | grant | = gift
shows the history of the first caller to all | grant | = lendsFirst
shows the wallet of the last caller to all | grant | = lendsLast
hides the credits that leave an account | reserve-entries orders.refund-before-work | = hidesDebits
hides reserved credits | reserve-entries | = hidesReserved
tells deltas as texts | reserve-entries | = textDeltas
names no order in its ledger | reserve-entries | = noOrders
numbers transactions | reserve-entries | = numberedTransactions
gives no dates in its ledger | reserve-entries | = noDates
knows one account | reserve-entries | = oneAccount
gives every entry a transaction of its own | reserve-entries | = ownTransactions
tells all of a history by default | history-pages | GET /wallet/history* <- query default limit 100
tells twenty entries by default | history-pages | GET /wallet/history* <- query default limit 20
tells the oldest entries first | history-pages reserve-entries | GET /wallet/history* 200 -> reverse entries
repeats the last entry on the next page | history-pages | = repeatsLast
never tells where the next page begins | history-pages | GET /wallet/history* 200 -> set next_before null
knows no end of a history | history-pages | GET /wallet/history* 200 -> default next_before 1
reserves credits with a quote | quote.nothing-done | = reservesQuotes
keeps orders of quotes | quote.nothing-done | = keepsQuotes
dates every entry with the present | orders.refund-before-work | = presentDates
loses a minor unit with each payment | orders.lifecycle-to-payment orders.after-a-block | = losesUnits
`,
  {
    wrongTotal: inWallet((seen) => (seen['total_minor'] = Number(seen['total_minor']) + 1)),
    hidesReserve: inWallet((seen) => Object.assign(seen, { available_minor: seen['total_minor'], reserved_minor: 0 })),
    ignoresQuery: path(/wallet\?.*/, 'wallet'),
    showsWallets: lendsTokens((sent) => sent.path === '/api/v1/wallet'),
    showsHistories: lendsTokens((sent) => sent.path.endsWith('/history')),
    smallBounds: query(history, (sent) => (sent.get('before')?.length ?? 0) > 15 && sent.set('before', 'x')),
    gift: inEach((entry) => (entry['kind'] === 'grant' ? { ...entry, kind: 'gift' } : entry)),
    hidesDebits: inEntries((entries) => entries.filter((entry) => Number(entry['delta_minor']) > 0)),
    hidesReserved: inEntries((entries) => entries.filter((entry) => entry['account_kind'] !== 'reserved')),
    textDeltas: inEach((entry) => ({ ...entry, delta_minor: String(entry['delta_minor']) })),
    noOrders: inEach((entry) => ({ ...entry, order_id: null })),
    numberedTransactions: inEach((entry) => ({ ...entry, transaction_id: 7 })),
    noDates: inEach((entry) => ({ ...entry, created_at: null })),
    oneAccount: inEach((entry) => ({ ...entry, account_kind: 'available' })),
    ownTransactions: inEach((entry) => ({ ...entry, transaction_id: randomUUID() })),
    repeatsLast: reply(page, (body) => {
      if (typeof body['next_before'] === 'number') body['next_before'] += 1;
    }),
    reservesQuotes: () => counting((sent) => isAbout(sent, quoting), 'reserved'),
    presentDates: inEach((entry) => ({ ...entry, created_at: new Date().toISOString() })),
    losesUnits: () => counting((sent) => isAction(sent, 'complete'), 'total'),
    ...{ lendsFirst, lendsLast, keepsQuotes },
  },
);

/** Moves a minor unit out of the available credits for each good request of one kind. */
function counting(isMeant: (request: PassingRequest) => boolean, account: 'reserved' | 'total'): Fault {
  let count = 0;
  const moved = inWallet((seen) => {
    const sign = account === 'total' ? -1 : 1;
    seen['available_minor'] = Number(seen['available_minor']) - count;
    seen[`${account}_minor`] = Number(seen[`${account}_minor`]) + sign * count;
  });
  return {
    onReply: (passing, sent) => {
      if (isMeant(sent) && passing.status === 200) count += 1;
      return moved.onReply?.(passing, sent) ?? passing;
    },
  };
}

function keepsQuotes(): Fault {
  const quoted: { readonly id: string }[] = [];
  const listed = reply(
    'GET /api/v1/orders?*',
    items('orders', (orders) => [...quoted, ...orders]),
  );
  return {
    onReply: (passing, sent) => {
      if (isAbout(sent, quoting) && passing.status === 200) quoted.push({ id: randomUUID() });
      return listed.onReply?.(passing, sent) ?? passing;
    },
  };
}

function lendsFirst(): Fault {
  let first: string | undefined;
  return requestWhen(
    (sent) => isAbout(sent, `${history}*`),
    (sent) => {
      first ??= tokenOf(sent);
      return withToken(sent, String(first));
    },
  );
}

function lendsLast(): Fault {
  let last: string | undefined;
  return requestWhen(
    (sent) => isAbout(sent, wallet),
    (sent) => {
      const lent = last ?? tokenOf(sent);
      last = tokenOf(sent);
      return withToken(sent, String(lent));
    },
  );
}
