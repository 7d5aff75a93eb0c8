import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Writer } from '../store/store.ts';
import { type Posting, sumPostings, sumWalletChanges } from './posting.ts';

interface LedgerTransaction {
  readonly id: string;
  readonly movement: 'grant' | 'reserve' | 'payout' | 'refund';
  readonly postings: readonly Posting[];
}

/** The parameters of a transaction; the statement also needs `order_id`, `operation_id` and `now`. */
export const ledgerParameters = {
  ledger_id: 'uuid',
  movement: 'text',
  wallet_changes: 'json',
  postings: 'json',
} as const;

export function makeLedgerValues({ id, movement, postings }: LedgerTransaction) {
  if (sumPostings(postings) !== 0) throw new Error(`The postings of ${movement} ${id} do not sum to zero.`);
  const wallet_changes = JSON.stringify(sumWalletChanges(postings));
  return { ledger_id: id, movement, wallet_changes, postings: JSON.stringify(postings) };
}

/**
 * Common table expressions that lock the wallets of `calls`. `with_locked_wallets` contains the calls whose wallets
 * cover their charges; with `skip locked`, it omits calls that need a wallet locked by another transaction. Orders are
 * locked before wallets, and wallets in id order, so that statements on the same agents wait for each other instead of
 * deadlocking.
 */
export function lockWalletsSql(calls: string, wait: '' | 'skip locked'): string {
  const isLocked = 'wallet.agent_id is null and exists (select from wallets where wallets.agent_id = draw.agent_id)';
  return `change as materialized (
     select call_number, "agentId" as agent_id, "availableMinor" as available, "reservedMinor" as reserved
     from ${calls} cross join lateral json_to_recordset(${calls}.wallet_changes)
       as change ("agentId" uuid, "availableMinor" bigint, "reservedMinor" bigint)),
   wallet as materialized (
     select agent_id, available_minor, reserved_minor from wallets
     where agent_id = any(array(select agent_id from change)) order by agent_id for update ${wait}),
   with_locked_wallets as materialized (
     select * from ${calls} where call_number not in (
       select call_number from (
         select *, sum(least(available, 0)) over so_far as drawn, sum(least(reserved, 0)) over so_far as drawn_reserve
         from change window so_far as (partition by agent_id order by call_number)
       ) draw left join wallet on wallet.agent_id = draw.agent_id
       where least(available, reserved) < 0
         and (coalesce(available_minor, 0) + drawn < 0 or coalesce(reserved_minor, 0) + drawn_reserve < 0)
         ${wait === '' ? '' : `or ${isLocked}`}))`;
}

/**
 * Common table expressions that move the credits of `calls`, whose wallets `lockWalletsSql` has locked: they change the
 * balances and append the transactions with their postings. An agent that only receives credits may have no wallet yet.
 * Postings are numbered after the wallet was created or locked, when no other statement can write to it.
 */
export function moveCreditsSql(calls: string): string {
  return `total as materialized (
     select agent_id, sum(available)::bigint as available, sum(reserved)::bigint as reserved
     from change where call_number in (select call_number from ${calls}) group by agent_id),
   moved as (
     update wallets set available_minor = available_minor + total.available, reserved_minor = reserved_minor + total.reserved
     from total where wallets.agent_id = total.agent_id),
   opened as (
     insert into wallets (agent_id, available_minor, reserved_minor)
     select agent_id, available, reserved from total where agent_id not in (select agent_id from wallet) order by agent_id
     on conflict (agent_id) do update set
       available_minor = wallets.available_minor + excluded.available_minor,
       reserved_minor = wallets.reserved_minor + excluded.reserved_minor
     returning agent_id),
   head as (
     insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
     select ledger_id, movement, order_id, operation_id, now from ${calls}),
   entry as (
     insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
     select ledger_id, "agentId", account, kind, "deltaMinor"
     from ${calls} cross join (select count(*) from opened) as after_opening
     cross join lateral rows from (
       json_to_recordset(${calls}.postings) as ("agentId" uuid, account text, kind text, "deltaMinor" bigint)
     ) with ordinality as line ("agentId", account, kind, "deltaMinor", position)
     order by call_number, position)`;
}

/** Posts a transaction that no order causes. */
export async function postTransaction(
  writer: Writer,
  { operationId, now, ...transaction }: LedgerTransaction & { readonly operationId: string; readonly now: Date },
): Promise<void> {
  const { ledger_id, movement, wallet_changes, postings } = makeLedgerValues(transaction);
  const posted = await runPreparedStatement(writer, postAlone, [
    ledger_id,
    movement,
    wallet_changes,
    postings,
    operationId,
    now,
  ]);
  if (posted.length === 0) throw new Error(`The wallets do not cover ${movement} ${ledger_id}.`);
}

const postAlone = prepareSqlText<{ call_number: number }>(
  'post-ledger-transaction',
  `with calls as (
     select $1::uuid as ledger_id, $2::text as movement, $3::json as wallet_changes, $4::json as postings,
       null::uuid as order_id, $5::uuid as operation_id, $6::timestamptz as now, 1 as call_number),
   ${lockWalletsSql('calls', '')},
   ${moveCreditsSql('with_locked_wallets')}
   select call_number from with_locked_wallets`,
);
