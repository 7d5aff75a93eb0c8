import { limits } from '@agent-platform/contract';
import { loadAgent } from '../identity/agent-queries.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import { toSafeInteger } from '../store/decode.ts';
import { transactUnderLock } from '../store/postgres/advisory-locks.ts';
import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Store, Writer } from '../store/store.ts';
import { postTransaction } from './ledger-commands.ts';
import { makeGrantPostings } from './posting.ts';

/**
 * Grants credits to an agent, even a suspended one. Refuses with `idempotency_conflict` if the operation id was used
 * for another grant, and with `invalid_input` if the total would exceed the range of exact integers. In the result,
 * `changed` is false for a repeat.
 */
export async function grantCredits(
  store: Store,
  clock: Clock,
  wanted: { readonly agent: string; readonly amountMinor: number; readonly operationId: string },
  record: ActRecorder,
) {
  const { amountMinor, operationId } = wanted;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > limits.totalMaxMinor) {
    throw new Refusal('invalid_input', `A grant is 1 to ${limits.totalMaxMinor} minor units.`);
  }
  // Grants run one at a time, so that the sum of issued credits cannot change after it is read.
  return await transactUnderLock(store, 'grants', async (writer) => {
    const agent = await loadAgent(writer, wanted.agent);
    const [known] = await runPreparedStatement(writer, grantByOperation, [operationId]);
    if (known !== undefined) {
      const { transaction_id: transactionId, agent_id, delta_minor } = known;
      if (agent_id === agent.id && toSafeInteger(delta_minor) === amountMinor) {
        return { agent, transactionId, changed: false };
      }
      throw new Refusal(
        'idempotency_conflict',
        `The operation ${operationId} already granted another amount or to another agent (transaction ${transactionId}). Nothing was granted. Use a new id for a new grant.`,
      );
    }
    await refuseTooMuch(writer, amountMinor);
    const id = newId();
    const postings = makeGrantPostings(agent.id, amountMinor);
    await postTransaction(writer, { id, movement: 'grant', operationId, postings, now: clock() });
    await record(writer, [{ agentId: agent.id, details: { amount_minor: amountMinor, operation_id: operationId } }]);
    return { agent, transactionId: id, changed: true };
  });
}

const grantByOperation = prepareSqlText<{ transaction_id: string; agent_id: string; delta_minor: number | string }>(
  'grant-by-operation',
  `select line.transaction_id, line.agent_id, line.delta_minor
   from ledger_transactions head join ledger_entries line on line.transaction_id = head.id
   where head.movement = 'grant' and head.operation_id = $1 and line.account_kind = 'available'`,
);

const issued = prepareSqlText<{ issued: number | string }>(
  'credits-issued',
  `select coalesce(-sum(delta_minor), 0)::bigint as issued from ledger_entries
   where agent_id is null and account_kind = 'issuance'`,
);

async function refuseTooMuch(writer: Writer, amountMinor: number): Promise<void> {
  const [row] = await runPreparedStatement(writer, issued, []);
  const issuedMinor = toSafeInteger(row?.issued ?? 0);
  if (amountMinor <= Number.MAX_SAFE_INTEGER - issuedMinor) return;
  throw new Refusal(
    'invalid_input',
    `${issuedMinor} minor units are issued; ${amountMinor} more would exceed the range of exact integers.`,
  );
}
