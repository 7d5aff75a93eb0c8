import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { askForConfirmation, canAskUser } from '@agent-platform/cli-core/output/confirm';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import type { Order } from '@agent-platform/sdk';
import type { OperationProblem } from './dry-run.ts';

/** An order command that commits credits of this agent. */
export interface CreditCommitment {
  readonly order_id: string | null;
  readonly version: number | null;
  readonly total_minor: number;
  /** The contractor. */
  readonly agent_id: string;
}

/**
 * Sends a command that commits credits within the spending policy of the agent, if it has one. A person at a terminal,
 * who could also change the policy, is asked about a command that exceeds it.
 *
 * @throws ToolFailure `spending_policy_exceeded`, `spending_policy_invalid`
 */
export async function sendWithinPolicy(
  { stateFolder, io }: Pick<OpenedAgent, 'stateFolder' | 'io'>,
  operationId: string,
  commitment: CreditCommitment,
  send: () => PromiseLike<Order>,
): Promise<Order> {
  const { isRefusal, openJournal, readSpendingPolicy, ToolFailure } = await import('@agent-platform/sdk/approvals');
  if (readSpendingPolicy(stateFolder) === undefined) return await send();
  const journal = openJournal(stateFolder, () => io.now().getTime());
  const act = { call: `agentp ${operationId}`, facts: { ...commitment, operation_id: operationId } };
  try {
    try {
      journal.store(act);
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.code !== 'spending_policy_exceeded' || !canAskUser(io)) throw error;
      if (!(await askForConfirmation(io, `${error.message} Send the command nevertheless?`))) {
        throw new UsageError('Not confirmed; nothing was sent.', 'To confirm, type yes.');
      }
      journal.storeBeyondPolicy(act);
    }
    const order = await send();
    journal.settle(operationId, { orderId: order.id });
    return order;
  } catch (error) {
    if (isRefusal(error)) journal.settle(operationId, 'refused');
    throw error;
  } finally {
    journal.close();
  }
}

/** Finds the spending policy's refusal of a command, for a dry run: stores nothing and does not ask. */
export async function findPolicyProblems(
  { stateFolder, io }: Pick<OpenedAgent, 'stateFolder' | 'io'>,
  operationId: string,
  commitment: CreditCommitment,
): Promise<readonly OperationProblem[]> {
  const { openJournal, readSpendingPolicy, ToolFailure } = await import('@agent-platform/sdk/approvals');
  try {
    if (readSpendingPolicy(stateFolder) === undefined) return [];
    const journal = openJournal(stateFolder, () => io.now().getTime());
    try {
      journal.checkPolicy({ ...commitment, operation_id: operationId });
    } finally {
      journal.close();
    }
    return [];
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return [{ code: error.code, message: error.message }];
  }
}
