import { randomUUID } from 'node:crypto';
import { type Changeable, inAnswer, inQuery, isAbout, json, type Mutant, mutant, parse, tokenOf } from '../faults.ts';
import { isAction, lendsTokens, quoting } from '../order-faults.ts';
import type { Fault } from '../proxy.ts';

const wallet = 'GET /api/v1/wallet';
const history = 'GET /api/v1/wallet/history';

/** Servers that tell or keep credits wrongly. */
export const walletMutants: readonly Mutant[] = [
  ...(
    [
      ['lives in production', 'environment', 'production'],
      ['counts in euros', 'unit', 'eur'],
      ['has a thousand minor units a credit', 'minor_per_credit', 1000],
      ['sells credits', 'can_purchase', true],
      ['pays credits out', 'can_withdraw', true],
      ['tells amounts as texts', 'available_minor', '0'],
      ['tells fractions of a minor unit', 'reserved_minor', 0.5],
    ] as const
  ).map(([name, member, value]) => inWallet(name, ['wallet.fields'], (seen) => (seen[member] = value))),
  inWallet('adds up nothing', ['wallet.fields'], (seen) => (seen['total_minor'] = Number(seen['total_minor']) + 1)),
  inWallet('counts what is reserved as available', ['orders.cover'], (seen) => {
    seen['available_minor'] = seen['total_minor'];
    seen['reserved_minor'] = 0;
  }),
  mutant('passes over the query of a wallet', ['wallet.query'], () => ({
    onRequest: (request) =>
      request.path.startsWith('/api/v1/wallet?') ? { ...request, path: '/api/v1/wallet' } : request,
  })),
  mutant('names another code for a query', ['wallet.query'], () => ({
    onAnswer: (answer, { path }) =>
      path.startsWith('/api/v1/wallet?') ? json(400, { error: { code: 'unknown_fields', message: 'No.' } }) : answer,
  })),
  mutant('shows wallets to anybody', ['wallet.access'], () => lendsTokens(({ path }) => path === '/api/v1/wallet')),
  mutant('shows histories to anybody', ['wallet.access'], () => lendsTokens(({ path }) => path.endsWith('/history'))),
  ...(
    [
      ['takes a limit of 101', 'limit', '101', '100'],
      ['takes a limit of 0', 'limit', '0', '1'],
      ['takes a fraction for a limit', 'limit', '1.5', '1'],
      ['takes words for a limit', 'limit', 'x', '50'],
      ['takes a bound of 0', 'before', '0', '1'],
      ['takes a bound below 0', 'before', '-1', '1'],
      ['takes words for a bound', 'before', 'x', '1'],
    ] as const
  ).map(([name, member, wrong, right]) =>
    mutant(name, ['wallet.history-bounds'], () =>
      inQuery(history, (query) => query.get(member) === wrong && query.set(member, right)),
    ),
  ),
  mutant('knows no bound of 64 bits', ['wallet.history-bounds'], () =>
    inQuery(history, (query) => (query.get('before')?.length ?? 0) > 15 && query.set('before', 'x')),
  ),
  mutant('calls a grant a gift', ['wallet.grant'], () =>
    inEntries((entries) => entries.map((entry) => (entry['kind'] === 'grant' ? { ...entry, kind: 'gift' } : entry))),
  ),
  mutant('shows the history of whoever asked first to all', ['wallet.grant'], () => {
    let first: string | undefined;
    return {
      onRequest: (request) => {
        if (!request.path.startsWith('/api/v1/wallet/history')) return request;
        first ??= tokenOf(request);
        return { ...request, headers: { ...request.headers, authorization: `Bearer ${first}` } };
      },
    };
  }),
  mutant('shows the wallet of whoever asked last to all', ['wallet.grant'], () => {
    let last: string | undefined;
    return {
      onRequest: (request) => {
        if (request.path !== '/api/v1/wallet') return request;
        const lent = last ?? tokenOf(request);
        last = tokenOf(request);
        return { ...request, headers: { ...request.headers, authorization: `Bearer ${lent}` } };
      },
    };
  }),
  mutant('hides what leaves an account', ['wallet.reserve-entries', 'orders.refund-before-work'], () =>
    inEntries((entries) => entries.filter((entry) => Number(entry['delta_minor']) > 0)),
  ),
  mutant('hides what is reserved', ['wallet.reserve-entries'], () =>
    inEntries((entries) => entries.filter((entry) => entry['account_kind'] !== 'reserved')),
  ),
  ...(
    [
      ['tells deltas as texts', 'delta_minor', (value: unknown) => String(value)],
      ['names no order in its ledger', 'order_id', () => null],
      ['numbers transactions', 'transaction_id', () => 7],
      ['gives no dates in its ledger', 'created_at', () => null],
      ['knows one account', 'account_kind', () => 'available'],
      ['gives every entry a transaction of its own', 'transaction_id', () => randomUUID()],
    ] as const
  ).map(([name, member, become]) =>
    mutant(name, ['wallet.reserve-entries'], () =>
      inEntries((entries) => entries.map((entry) => ({ ...entry, [member]: become(entry[member]) }))),
    ),
  ),
  mutant('tells all of a history unless told otherwise', ['wallet.history-pages'], () =>
    inQuery(history, (query) => query.has('limit') || query.set('limit', '100')),
  ),
  mutant('tells twenty entries unless told otherwise', ['wallet.history-pages'], () =>
    inQuery(history, (query) => query.has('limit') || query.set('limit', '20')),
  ),
  mutant('tells the oldest entries first', ['wallet.history-pages', 'wallet.reserve-entries'], () =>
    inEntries((entries) => entries.toReversed()),
  ),
  mutant('repeats the last entry on the next page', ['wallet.history-pages'], () =>
    inAnswerOfHistory((body) => {
      const { next_before: next } = body;
      return { ...body, next_before: typeof next === 'number' ? next + 1 : next };
    }),
  ),
  mutant('never tells where the next page begins', ['wallet.history-pages'], () =>
    inAnswerOfHistory((body) => ({ ...body, next_before: null })),
  ),
  mutant('knows no end of a history', ['wallet.history-pages'], () =>
    inAnswerOfHistory((body) => ({ ...body, next_before: body['next_before'] ?? 1 })),
  ),
  mutant('sets credits aside with a quote', ['quote.nothing-done'], () => {
    let quoted = 0;
    return {
      onRequest: (request) => {
        if (isAbout(request, quoting)) quoted += 1;
        return request;
      },
      onAnswer: (answer, request) =>
        isAbout(request, wallet) && answer.status === 200 ? changed(answer.body, quoted) : answer,
    };
  }),
  mutant('keeps orders of quotes', ['quote.nothing-done'], () => {
    const quoted: { readonly id: string }[] = [];
    return {
      onAnswer: (answer, request) => {
        if (isAbout(request, quoting) && answer.status === 200) quoted.push({ id: randomUUID() });
        const { orders } = request.path.startsWith('/api/v1/orders?') ? (parse(answer.body) ?? {}) : {};
        return Array.isArray(orders) ? json(200, { orders: [...quoted, ...orders] }) : answer;
      },
    };
  }),
  mutant('forgets what was posted before', ['orders.refund-before-work'], () =>
    inEntries((entries) => entries.map((entry) => ({ ...entry, created_at: new Date().toISOString() }))),
  ),
  mutant('loses a minor unit with each payment', ['orders.lifecycle-to-payment', 'orders.after-a-block'], () => {
    let lost = 0;
    return {
      onAnswer: (answer, request) => {
        if (isAction(request, 'complete') && answer.status === 200) lost += 1;
        return isAbout(request, wallet) && answer.status === 200 ? changed(answer.body, 0, lost) : answer;
      },
    };
  }),
];

function changed(body: string, reserved: number, lost = 0) {
  const { wallet: seen } = parse(body) as { readonly wallet: Changeable };
  return json(200, {
    wallet: {
      ...seen,
      available_minor: Number(seen['available_minor']) - reserved - lost,
      reserved_minor: Number(seen['reserved_minor']) + reserved,
      total_minor: Number(seen['total_minor']) - lost,
    },
  });
}

function inWallet(name: string, kills: readonly string[], damage: (seen: Changeable) => unknown): Mutant {
  return mutant(name, kills, () =>
    inAnswer(wallet, 200, (body) => {
      damage(body['wallet'] as Changeable);
    }),
  );
}

function inAnswerOfHistory(change: (body: Changeable) => Changeable): Fault {
  return {
    onAnswer: (answer, request) => {
      const isMeant = request.path.startsWith('/api/v1/wallet/history') && answer.status === 200;
      return isMeant ? json(200, change(parse(answer.body) ?? {})) : answer;
    },
  };
}

function inEntries(change: (entries: readonly Changeable[]) => readonly Changeable[]): Fault {
  return inAnswerOfHistory((body) => ({ ...body, entries: change(body['entries'] as readonly Changeable[]) }));
}
