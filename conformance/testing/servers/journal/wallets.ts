import { randomUUID } from 'node:crypto';
import { type Journal, zoned } from './journal.ts';
import type { Asked, Told } from './serve.ts';
import { checkQuery, Denied } from './shape.ts';

export const balanceOf = (journal: Journal, owner: string, account: string) =>
  journal
    .all('posting')
    .reduce((sum, one) => (one.owner === owner && one.account === account ? sum + one.delta : sum), 0);

export type Line = readonly [owner: string, account: 'available' | 'reserved', delta: number];

export function bookLines(
  journal: Journal,
  kind: string,
  operation: string,
  order: string | null,
  ...lines: readonly Line[]
): void {
  const transaction = randomUUID().toUpperCase();
  for (const [owner, account, delta] of lines) {
    const number = journal.all('posting').length + 1;
    if (delta !== 0) journal.begin('posting', { owner, account, delta, kind, transaction, operation, order, number });
  }
}

export function tellWallet({ journal, me, query }: Asked): Told {
  checkQuery(query, {});
  const [available, reserved] = [balanceOf(journal, me, 'available'), balanceOf(journal, me, 'reserved')];
  const amounts = { total_minor: available + reserved, reserved_minor: reserved, available_minor: available };
  const can = { can_withdraw: false, can_purchase: false };
  return [200, { wallet: { ...can, ...amounts, minor_per_credit: 100, unit: 'test_credit', environment: 'test' } }];
}

export function tellHistory({ journal, me, query }: Asked): Told {
  checkQuery(query, { before: 'invalid_input', limit: 'invalid_input' });
  const [before, limit] = [
    ['before', 9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n] as const,
    ['limit', 100n, 50n] as const,
  ].map(([name, most, usual]) => {
    const text = query.get(name) ?? String(usual);
    if (!/^[1-9]\d{0,18}$/.test(text) || BigInt(text) > most) throw new Denied('invalid_input');
    return BigInt(text);
  });
  const mine = journal.all('posting').filter(({ owner, number }) => owner === me && BigInt(number) < (before ?? 0n));
  const part = mine.toReversed().slice(0, Number(limit));
  const entries = part.map((one) => ({
    ...{ created_at: zoned(one.since), delta_minor: one.delta, order_id: one.order, account_kind: one.account },
    ...{ kind: one.kind, operation_id: one.operation, transaction_id: one.transaction },
  }));
  return [200, { next_before: mine.length > part.length ? (part.at(-1)?.number ?? null) : null, entries }];
}
