import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeRequests, isAbout, type MutableObject, parseJsonObject, tokenOf, withJson } from '../../faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

// Faults in prices, the wallet and the ledger.

const table = `
rounds the half of a commission to even | fee_minor: half up | POST /orders/quote 200 -> map quote halfEven
rounds the half of a commission down | fee_minor: half up | POST /orders/quote 200 -> map quote halfDown
rounds each commission up | fee_minor: half up | POST /orders/quote 200 -> map quote ceiling
takes a commission of 1 at least | fee_minor: half up, 0 of small amounts | POST /orders/quote 200 -> map quote atLeastOne
computes the commission in 32 bits | fee_minor: of amounts up to 10^12 | POST /orders/quote 200 -> map quote in32Bits
takes the commission out of the reward | total_minor = amount_minor + fee_minor | POST /orders/quote 200 -> map quote inside
takes the commission of the total | fee_minor: of the amount | POST /orders/quote 200 -> map quote ofTotal
quotes large totals as text | amounts are integers | POST /orders/quote 200 -> replace '"(total_minor|amount_minor)":([0-9]{10,})' '"$1":"$2"'
shows large totals of orders as text | amounts are integers | * /orders* -> replace '"(total_minor|amount_minor)":([0-9]{7,})' '"$1":"$2"'
refuses the largest reserve in a quote | full reserve up to 10^12 | POST /orders/quote sent:'90909090909[01]' <- 400 invalid_input
quotes an amount of 100 where there is none | quote: amount_minor is the input | POST /orders/quote <- default amount_minor 100
reserves what it has quoted | quote: no reserve | = quotes reserve
gives a second order of a pair half of the commission | the current fee_bps is 1000 | before insert on orders | if exists (select from orders where customer_id = new.customer_id and contractor_id = new.contractor_id) then new.fee_minor := new.fee_minor / 2; new.total_minor := new.amount_minor + new.fee_minor; end if; return new;
returns a refund without the commission | approve-refund: the whole total_minor returns | after update on orders | if new.outcome = 'refunded' and old.outcome is null then update wallets set available_minor = available_minor - new.fee_minor where agent_id = new.customer_id; end if; return null;
pays the reward although it is refunded | approve-refund: the total returns to the customer | after update on orders | if new.outcome = 'refunded' and old.outcome is null then insert into wallets (agent_id, available_minor, reserved_minor) values (new.contractor_id, new.amount_minor, 0) on conflict (agent_id) do update set available_minor = wallets.available_minor + new.amount_minor; end if; return null;
pays the commission to the contractor as well | complete: the contractor receives amount_minor | after update on orders | if new.outcome = 'accepted' and old.outcome is null then update wallets set available_minor = available_minor + new.fee_minor where agent_id = new.contractor_id; end if; return null;
takes the commission from the contractor too | complete: the contractor receives amount_minor | after update on orders | if new.outcome = 'accepted' and old.outcome is null then update wallets set available_minor = available_minor - new.fee_minor where agent_id = new.contractor_id; end if; return null;
keeps the commission of a complete order reserved | complete: both taken from the reserve | after update on orders | if new.outcome = 'accepted' and old.outcome is null then update wallets set reserved_minor = reserved_minor + new.fee_minor where agent_id = new.customer_id; end if; return null;
reserves the commission twice | accept: total_minor moves to reserved | after update on orders | if new.state = 'funded' and old.state = 'offered' then update wallets set available_minor = available_minor - least(new.fee_minor, available_minor), reserved_minor = reserved_minor + least(new.fee_minor, available_minor) where agent_id = new.customer_id; end if; return null;
reserves a minor unit for an offer | offered: no reserve exists | after insert on orders | if new.author_id = new.customer_id then update wallets set available_minor = available_minor - 1, reserved_minor = reserved_minor + 1 where agent_id = new.customer_id and available_minor > 1; end if; return null;
gives a credit back for a cancelled offer | cancel: no reserve existed | after update on orders | if new.state = 'cancelled' then update wallets set available_minor = available_minor + new.total_minor where agent_id = new.customer_id; end if; return null;
writes a refund without its commission into the history | approve-refund: the whole total_minor returns | before insert on ledger_entries | if new.kind = 'refund' then new.delta_minor := round(new.delta_minor * 10.0 / 11); end if; return new;
writes the reserve into the history of the contractor | wallet history: own accounts only | = shows reserves
shows a wallet as it was before | accept: total_minor moves from available to reserved | = wallets late
shows disputed credits as available | dispute: funds stay reserved | = frees disputes
ignores the query of the wallet | GET /wallet: any query gives 400 | GET path:'^/api/v1/wallet[?]' <- path '[?].*' ''
refuses bounds beyond 32 bits | wallet history: before is int64 | GET /wallet/history* path:'before=[0-9]{11,}' <- 400 invalid_input
ignores an unknown parameter of the history | wallet history: no other parameter | = knows two parameters
`;

const byFee = (fee: (amount: number) => number) => (quote: MutableObject) => {
  const amount = Number(quote['amount_minor']);
  const fee_minor = fee(amount);
  return { ...quote, fee_minor, total_minor: amount + fee_minor };
};

export default parseCatalogueTable(table, {
  values: {
    halfEven: byFee(halfToEven),
    halfDown: byFee((amount) => Math.ceil((amount - 5) / 10)),
    ceiling: byFee((amount) => Math.ceil(amount / 10)),
    atLeastOne: byFee((amount) => Math.max(1, Math.floor((amount + 5) / 10))),
    in32Bits: byFee((amount) => Math.trunc((Math.imul(amount, 1000) + 5000) / 10_000)),
    ofTotal: byFee((amount) => Math.round(amount / 9)),
    inside: (quote: MutableObject) => {
      const [amount, fee] = [Number(quote['amount_minor']), Number(quote['fee_minor'])];
      return { ...quote, amount_minor: amount - fee, total_minor: amount };
    },
  },
  faults: {
    'quotes reserve': quotesReserve,
    'wallets late': walletsLate,
    'frees disputes': freesDisputes,
    'shows reserves': showsReserves,
    'knows two parameters': changeRequests(
      ({ path }) => path.startsWith('/api/v1/wallet/history?'),
      (sent) => {
        const [path, search] = sent.path.split('?');
        const known = [...new URLSearchParams(search)].filter(([name]) => name === 'before' || name === 'limit');
        return { ...sent, path: `${path}?${new URLSearchParams(known)}` };
      },
    ),
  },
});

function halfToEven(amount: number): number {
  const [whole, rest] = [Math.floor(amount / 10), amount % 10];
  if (rest !== 5) return rest > 5 ? whole + 1 : whole;
  return whole + (whole % 2);
}

/** Moves this amount of credits from available to reserved in each wallet that is returned. */
function showsWallets(reservedOf: (token: string | undefined) => number, note: Fault['onReply']): Fault {
  return {
    onReply: (passing, sent) => {
      note?.(passing, sent);
      if (!isAbout(sent, 'GET /api/v1/wallet') || passing.status !== 200) return passing;
      return withJson(passing, ({ wallet }) => {
        const shown = wallet as Readonly<Record<string, number>>;
        const moved = reservedOf(tokenOf(sent));
        const [available = 0, reserved = 0] = [shown['available_minor'], shown['reserved_minor']];
        return { wallet: { ...shown, available_minor: available - moved, reserved_minor: reserved + moved } };
      });
    },
  };
}

function quotesReserve(): Fault {
  const quoted = new Map<string | undefined, number>();
  return showsWallets(
    (token) => quoted.get(token) ?? 0,
    (passing, sent) => {
      const quote = isAbout(sent, 'POST /api/v1/orders/quote') ? parseJsonObject(passing.body)?.['quote'] : undefined;
      const total = Number((quote as MutableObject | undefined)?.['total_minor'] ?? 0);
      quoted.set(tokenOf(sent), (quoted.get(tokenOf(sent)) ?? 0) + total);
      return passing;
    },
  );
}

/** Shows the credits reserved for disputed orders as available. */
function freesDisputes(): Fault {
  const agents = new Map<string | undefined, unknown>();
  const disputes = new Map<unknown, { readonly customer: unknown; readonly total: number }>();
  return showsWallets(
    (token) => {
      const own = [...disputes.values()].filter(({ customer }) => customer === agents.get(token));
      return -own.reduce((sum, { total }) => sum + total, 0);
    },
    (passing, sent) => {
      const body = parseJsonObject(passing.body);
      const order = body?.['order'] as MutableObject | undefined;
      if (body !== undefined && sent.path.endsWith('/register')) agents.set(`${body['token']}`, idOf(body['bot']));
      if (order?.['state'] !== 'disputed') disputes.delete(order?.['id']);
      else disputes.set(order['id'], { customer: idOf(order['customer']), total: Number(order['total_minor']) });
      return passing;
    },
  );
}

function idOf(record: unknown): unknown {
  return (record as MutableObject | undefined)?.['id'];
}

/** Shows each agent its previous wallet. */
function walletsLate(): Fault {
  const last = new Map<string | undefined, ProxiedReply>();
  const isWallet = (sent: ProxiedRequest) => isAbout(sent, 'GET /api/v1/wallet');
  return {
    onReply: (passing, sent) => {
      if (!isWallet(sent) || passing.status !== 200) return passing;
      const before = last.get(tokenOf(sent));
      last.set(tokenOf(sent), passing);
      return before ?? passing;
    },
  };
}

/** Adds the reserve entries that a customer has read to the history of the contractor. */
function showsReserves(): Fault {
  const agents = new Map<string | undefined, unknown>();
  const contractors = new Map<unknown, unknown>();
  const reserves = new Map<unknown, MutableObject>();
  return {
    onReply: (passing, sent) => {
      const body = parseJsonObject(passing.body);
      const order = body?.['order'] as MutableObject | undefined;
      if (order !== undefined) contractors.set(order['id'], idOf(order['contractor']));
      if (sent.path.endsWith('/register')) agents.set(`${body?.['token']}`, idOf(body?.['bot']));
      if (!sent.path.startsWith('/api/v1/wallet/history') || !Array.isArray(body?.['entries'])) return passing;
      const own: readonly MutableObject[] = body['entries'];
      for (const entry of own)
        if (entry['kind'] === 'reserve') reserves.set(`${entry['transaction_id']} ${entry['account_kind']}`, entry);
      const caller = agents.get(tokenOf(sent));
      const added = [...reserves.values()].filter((entry) => contractors.get(entry['order_id']) === caller);
      const timeOf = (entry: MutableObject) => Date.parse(`${entry['created_at']}`);
      const entries = [...own, ...added].toSorted((one, other) => timeOf(other) - timeOf(one));
      return withJson(passing, (read) => ({ ...read, entries: entries.slice(0, 100) }));
    },
  };
}
