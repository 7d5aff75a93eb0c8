import { randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, inside, isAbout, items, requestWhen, tokenOf, withJson, withToken } from '../faults.ts';
import { isAction, quoting } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';

const wallet = 'GET /api/v1/wallet';

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
adds up nothing | fields | GET /wallet 200 -> map wallet.total_minor next
counts reserved credits as available | orders.cover | GET /wallet 200 -> map wallet withoutReserve
ignores the query of a wallet | query | * <- path wallet[?].* wallet
names another code for a query | query | GET /wallet?* -> 400 unknown_fields
shows wallets to anybody | access | * /wallet <- as-last-caller
shows histories to anybody | access | * path:'/history$' <- as-last-caller
names the list of a history items | history-bounds | GET /wallet/history* 200 -> rename entries items
takes a limit of 101 | history-bounds | GET /wallet/history* <- query change limit 101 100
takes a limit of 0 | history-bounds | GET /wallet/history* <- query change limit 0 1
takes a fraction for a limit | history-bounds | GET /wallet/history* <- query change limit 1.5 1
takes words for a limit | history-bounds | GET /wallet/history* <- query change limit x 50
takes a bound of 0 | history-bounds | GET /wallet/history* <- query change before 0 1
takes a bound below 0 | history-bounds | GET /wallet/history* <- query change before -1 1
takes words for a bound | history-bounds | GET /wallet/history* <- query change before x 1
ignores other parameters of a history | history-bounds | GET /wallet/history* <- query drop mood
knows no bound of 64 bits | history-bounds | GET /wallet/history?* <- path before=[0-9]{16,} before=x
calls a grant a gift | grant | GET /wallet/history* 200 -> change entries[].kind "grant" "gift"
shows the history of the first caller to all | grant | = lendsFirst
shows the wallet of the last caller to all | grant | = lendsLast
hides the credits that leave an account | reserve-entries orders.refund-before-work | GET /wallet/history* 200 -> map entries additions
hides reserved credits | reserve-entries | GET /wallet/history* 200 -> remove entries account_kind "reserved"
tells deltas as texts | reserve-entries | GET /wallet/history* 200 -> text entries[].delta_minor
names no order in its ledger | reserve-entries | GET /wallet/history* 200 -> set entries[].order_id null
numbers transactions | reserve-entries | GET /wallet/history* 200 -> set entries[].transaction_id 7
gives no dates in its ledger | reserve-entries | GET /wallet/history* 200 -> set entries[].created_at null
knows one account | reserve-entries | GET /wallet/history* 200 -> set entries[].account_kind "available"
gives every entry a transaction of its own | reserve-entries | GET /wallet/history* 200 -> set entries[].transaction_id uuid
tells all of a history by default | history-pages | GET /wallet/history* <- query default limit 100
tells twenty entries by default | history-pages | GET /wallet/history* <- query default limit 20
tells the oldest entries first | history-pages reserve-entries | GET /wallet/history* 200 -> reverse entries
repeats the last entry on the next page | history-pages | GET /wallet/history* 200 -> map next_before laterPage
never tells where the next page begins | history-pages | GET /wallet/history* 200 -> set next_before null
knows no end of a history | history-pages | GET /wallet/history* 200 -> default next_before 1
reserves credits with a quote | quote.nothing-done | = reservesQuotes
keeps orders of quotes | quote.nothing-done | = keepsQuotes
dates every entry with the present | orders.refund-before-work | GET /wallet/history* 200 -> set entries[].created_at now
loses a minor unit with each payment | orders.lifecycle-to-payment orders.after-a-block | = losesUnits
`,
  {
    next: (total: unknown) => Number(total) + 1,
    withoutReserve: (seen: Changeable) => ({ ...seen, available_minor: seen['total_minor'], reserved_minor: 0 }),
    additions: (entries: readonly Changeable[]) => entries.filter((entry) => Number(entry['delta_minor']) > 0),
    laterPage: (before: unknown) => (typeof before === 'number' ? before + 1 : before),
  },
  {
    reservesQuotes: () => counting((sent) => isAbout(sent, quoting), 'reserved'),
    losesUnits: () => counting((sent) => isAction(sent, 'complete'), 'total'),
    ...{ lendsFirst, lendsLast, keepsQuotes },
  },
);

/** Moves a minor unit out of the available credits for each good request of one kind. */
function counting(isMeant: (request: PassingRequest) => boolean, account: 'reserved' | 'total'): Fault {
  const paths = new Set<string>();
  let count = 0;
  const moved = inside('wallet', (seen) => ({
    ...seen,
    available_minor: Number(seen['available_minor']) - count,
    [`${account}_minor`]: Number(seen[`${account}_minor`]) + (account === 'total' ? -count : count),
  }));
  return {
    onReply: (passing, sent) => {
      // A repeated action moves nothing again.
      const isNew = sent.path === '/api/v1/orders/quote' || !paths.has(sent.path);
      if (isMeant(sent) && passing.status === 200 && isNew) count += 1;
      if (isMeant(sent) && passing.status === 200) paths.add(sent.path);
      return isAbout(sent, wallet) ? withJson(passing, moved) : passing;
    },
  };
}

function keepsQuotes(): Fault {
  const quoted: { readonly id: string }[] = [];
  const listed = items('orders', (orders) => [...quoted, ...orders]);
  return {
    onReply: (passing, sent) => {
      if (isAbout(sent, quoting) && passing.status === 200) quoted.push({ id: randomUUID() });
      return isAbout(sent, 'GET /api/v1/orders?*') ? withJson(passing, listed) : passing;
    },
  };
}

function lendsFirst(): Fault {
  let first: string | undefined;
  return requestWhen(
    (sent) => isAbout(sent, 'GET /api/v1/wallet/history*'),
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
