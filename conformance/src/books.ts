import { isObject, type JsonObject } from './json.ts';
import { demand, demandObject, demandStatus } from './judge.ts';
import type { Role } from './order-steps.ts';
import { demandInteger, type Market } from './ordering.ts';
import type { PoolAgent } from './pool.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/** Where the own credits are. */
export const walletPath = '/api/v1/wallet';
/** Where the own ledger is. */
export const historyPath = `${walletPath}/history`;

/** What an agent has, and what of it is set aside. */
export interface Balance {
  readonly available: number;
  readonly reserved: number;
}

/** Demands `{wallet: {…}}` and returns the wallet. */
export function demandWallet(exchange: Exchange): JsonObject {
  demandStatus(exchange, 200);
  const { wallet } = demandObject(exchange) as { readonly wallet?: unknown };
  demand(isObject(wallet), 'the body has no object "wallet"', exchange);
  return wallet;
}

/** Reads a balance, of which the total must be the sum. */
export async function readBalance(run: Run, { token }: PoolAgent): Promise<Balance & { readonly seen: Exchange }> {
  const seen = await run.ask({ path: walletPath, token });
  const wallet = demandWallet(seen);
  const available = demandInteger(wallet, 'available_minor', seen);
  const reserved = demandInteger(wallet, 'reserved_minor', seen);
  const total = demandInteger(wallet, 'total_minor', seen);
  demand(total === available + reserved, `total_minor is ${total} and not ${available} + ${reserved}`, seen);
  return { available, reserved, seen };
}

/** Reads entries of the own ledger, newest first, and where the next ones begin. */
export async function readHistory(run: Run, { token }: PoolAgent, query = 'limit=100') {
  const seen = await run.ask({ path: query === '' ? historyPath : `${historyPath}?${query}`, token });
  demandStatus(seen, 200);
  const { entries, next_before: next } = demandObject(seen) as { readonly [name: string]: unknown };
  demand(Array.isArray(entries) && entries.every(isObject), '"entries" is no list of records', seen);
  const isEnd = next === null;
  demand(
    isEnd || (typeof next === 'number' && Number.isInteger(next)),
    '"next_before" is no integer and not null',
    seen,
  );
  return { entries: entries as readonly JsonObject[], next: isEnd ? undefined : (next as number), seen };
}

/** What the entries of a list add up to. */
export function sumOf(entries: readonly JsonObject[], seen: Exchange): number {
  return entries.reduce((sum, entry) => sum + demandInteger(entry, 'delta_minor', seen), 0);
}

/** The entries that came since; those from before must still be there, behind them. */
export function entriesSince(before: readonly JsonObject[], after: readonly JsonObject[], seen: Exchange) {
  const text = (entries: readonly JsonObject[]) => JSON.stringify(entries);
  const count = after.findIndex((_, index) => {
    const rest = after.slice(index);
    return text(before.slice(0, rest.length)) === text(rest);
  });
  const isNothingOld = before.length === 0;
  demand(isNothingOld || count !== -1, 'the entries from before are not there any more, behind the new ones', seen);
  return isNothingOld ? after : after.slice(0, count);
}

/** By how much a step changes what an agent has. */
export type Moves = Readonly<Partial<Record<Role, Balance>>>;

/** What both of an order must have, step by step. */
export interface Books {
  /** Demands that both have what they had, and this. */
  move(moves: Moves): Promise<void>;
  /** Demands that the ledgers of both tell the same. */
  close(): Promise<void>;
}

const roles = ['customer', 'contractor'] as const;

/** Opens the books on the two of an order. */
export async function openBooks(run: Run, market: Market): Promise<Books> {
  const read = async (role: Role) => ({
    balance: await readBalance(run, market[role]),
    entries: (await readHistory(run, market[role])).entries,
  });
  const begun = { customer: await read('customer'), contractor: await read('contractor') };
  const expected: Record<Role, Balance> = { customer: begun.customer.balance, contractor: begun.contractor.balance };
  return {
    move: async (moves) => {
      for (const role of roles) {
        const { available = 0, reserved = 0 } = moves[role] ?? {};
        const wanted = {
          available: expected[role].available + available,
          reserved: expected[role].reserved + reserved,
        };
        expected[role] = wanted;
        const now = await readBalance(run, market[role]);
        demand(
          now.available === wanted.available && now.reserved === wanted.reserved,
          `the ${role} has ${now.available} and ${now.reserved} reserved instead of ${wanted.available} and ${wanted.reserved}`,
          now.seen,
        );
      }
    },
    close: async () => {
      for (const role of roles) {
        const { entries, seen } = await readHistory(run, market[role]);
        const sum = sumOf(entriesSince(begun[role].entries, entries, seen), seen);
        const { balance } = begun[role];
        const gained = expected[role].available + expected[role].reserved - balance.available - balance.reserved;
        demand(sum === gained, `the new entries of the ${role} add up to ${sum}, and the wallet to ${gained}`, seen);
      }
    },
  };
}
