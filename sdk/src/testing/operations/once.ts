import type { OrderAction } from '@agent-platform/contract';
import type { FakeDatabase, FakeOrder } from '../world.ts';

export interface FakeOrderCommand {
  readonly agentId: string;
  /** Null for a new order. */
  readonly orderId: string | null;
  readonly action: 'create' | OrderAction;
  readonly body: { readonly operation_id: string };
}

/**
 * Executes a command once. An identical repeat returns the order as it was after the command; another command with the
 * same operation id returns `conflict`. A refused command is not stored, so its id can be used again (§6.66).
 */
export function executeOnce(
  world: FakeDatabase,
  { agentId, orderId, action, body }: FakeOrderCommand,
  work: () => FakeOrder,
) {
  const key = `${agentId} ${body.operation_id}`;
  const fields = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const fingerprint = JSON.stringify([action, orderId, fields]);
  const known = world.operations.get(key);
  if (known !== undefined) {
    if (known.fingerprint !== fingerprint) return 'conflict';
    const { answer: record, inputIds, resultIds } = known;
    return { shown: { record, inputIds, resultIds }, isRepeat: true };
  }
  const { record, inputIds, resultIds } = work();
  world.operations.set(key, { fingerprint, orderId: record.id, answer: record, inputIds, resultIds });
  return { shown: { record, inputIds, resultIds }, isRepeat: false };
}
