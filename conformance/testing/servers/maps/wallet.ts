import { type HandlerContext, type JsonAnswer, Refusal } from './http.ts';
import { formatTimestamp, sumPostings } from './world.ts';

function read({ world, bot, query }: HandlerContext): JsonAnswer {
  if (query.size > 0) throw new Refusal('invalid_input');
  const [available, reserved] = [sumPostings(world, bot.id, 'spendable'), sumPostings(world, bot.id, 'held')];
  return [
    200,
    {
      wallet: {
        environment: 'test',
        unit: 'test_credit',
        minor_per_credit: 100,
        available_minor: available,
        reserved_minor: reserved,
        total_minor: available + reserved,
        can_purchase: false,
        can_withdraw: false,
        owner: bot.handle,
      },
    },
  ];
}

function bound(values: readonly string[], most: bigint, usual: bigint): bigint {
  const [value, ...more] = values;
  if (value === undefined) return usual;
  if (more.length > 0 || !/^\d{1,19}$/.test(value) || BigInt(value) < 1n || BigInt(value) > most)
    throw new Refusal('invalid_input');
  return BigInt(value);
}

function history({ world, bot, query }: HandlerContext): JsonAnswer {
  if (query.keys().some((name) => name !== 'before' && name !== 'limit')) throw new Refusal('invalid_input');
  const limit = Number(bound(query.getAll('limit'), 100n, 50n));
  const before = bound(query.getAll('before'), 2n ** 63n - 1n, 2n ** 63n - 1n);
  const own = world.postings.filter(({ owner, id }) => owner === bot.id && BigInt(id) < before).toReversed();
  const entries = own.slice(0, limit).map((entry) => ({
    id: entry.id,
    transaction_id: entry.transaction,
    operation_id: entry.operation,
    kind: entry.kind,
    account_kind: entry.account,
    order_id: entry.order,
    delta_minor: entry.change,
    created_at: formatTimestamp(entry.at),
  }));
  return [200, { entries, next_before: own.length > limit ? (entries.at(-1)?.id ?? null) : null }];
}

export const walletHandlers = { read, history };
