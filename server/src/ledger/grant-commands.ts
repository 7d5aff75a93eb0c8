import { limits } from '@agent-platform/contract';
import type { Agent } from '../identity/agent.ts';
import { loadAgent } from '../identity/agent-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import { takeAdvisoryLock } from '../store/advisory-locks.ts';
import { safeInteger } from '../store/decode.ts';
import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Store, Writer } from '../store/store.ts';
import { post } from './ledger-commands.ts';
import { grantPostings } from './posting.ts';

/** Credits for an agent; the operation id makes repeated requests one grant. */
interface WantedGrant {
  readonly agent: string;
  readonly amountMinor: number;
  readonly operationId: string;
}

/** A grant in the ledger, and whether this command made it. */
interface GrantOutcome {
  readonly agent: Agent;
  readonly transactionId: string;
  readonly changed: boolean;
}

/**
 * Grants credits to an agent, suspended ones included. Refuses with
 * `idempotency_conflict` where the operation id granted something else, and
 * with `invalid_input` where more credits would exist than a number holds exactly.
 */
export async function grantCredits(store: Store, clock: Clock, wanted: WantedGrant): Promise<GrantOutcome> {
  const { amountMinor, operationId } = wanted;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > limits.totalMaxMinor) {
    throw new Refusal('invalid_input', `A grant is 1 to ${limits.totalMaxMinor} minor units.`);
  }
  return await store.transact(async (writer) => {
    // One grant at a time: the sum of issued credits cannot change after it is read.
    await takeAdvisoryLock(writer, 'grants');
    const agent = await loadAgent(writer, wanted.agent);
    const known = await findGrant(writer, operationId);
    if (known !== undefined) return { agent, ...repeatGrant(known, agent, wanted) };
    await refuseTooMuch(writer, amountMinor);
    const id = newId();
    const postings = grantPostings(agent.id, amountMinor);
    await post(writer, { id, movement: 'grant', orderId: null, operationId, postings, now: clock() });
    return { agent, transactionId: id, changed: true };
  });
}

interface KnownGrant {
  readonly transaction_id: string;
  readonly agent_id: string;
  readonly delta_minor: number | string;
}

const grantByOperation = prepareText<KnownGrant>(
  'grant-by-operation',
  `select line.transaction_id, line.agent_id, line.delta_minor
   from ledger_transactions head join ledger_entries line on line.transaction_id = head.id
   where head.movement = 'grant' and head.operation_id = $1 and line.account_kind = 'available'`,
);

const issued = prepareText<{ issued: number | string }>(
  'credits-issued',
  `select coalesce(-sum(delta_minor), 0)::bigint as issued from ledger_entries
   where agent_id is null and account_kind = 'issuance'`,
);

async function findGrant(writer: Writer, operationId: string): Promise<KnownGrant | undefined> {
  const [known] = await runPrepared(writer, grantByOperation, [operationId]);
  return known;
}

function repeatGrant(known: KnownGrant, agent: Agent, { amountMinor, operationId }: WantedGrant) {
  if (known.agent_id === agent.id && safeInteger(known.delta_minor) === amountMinor) {
    return { transactionId: known.transaction_id, changed: false };
  }
  throw new Refusal(
    'idempotency_conflict',
    `The operation ${operationId} already granted another amount or agent (transaction ${known.transaction_id}). Nothing is granted now; use another id for another grant.`,
  );
}

async function refuseTooMuch(writer: Writer, amountMinor: number): Promise<void> {
  const [row] = await runPrepared(writer, issued, []);
  const issuedMinor = safeInteger(row?.issued ?? 0);
  if (amountMinor <= Number.MAX_SAFE_INTEGER - issuedMinor) return;
  throw new Refusal(
    'invalid_input',
    `${issuedMinor} minor units are issued, and ${amountMinor} more would exceed the exact range.`,
  );
}
