import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Writer } from '../store/store.ts';

/** An operation with the id of its agent. */
interface Operation {
  readonly agentId: string;
  readonly operationId: string;
  readonly fingerprint: string;
  readonly now: Date;
}

/**
 * Does the work of an operation once. The first statement claims the id: a
 * concurrent duplicate waits on its unique index until this transaction ends, and
 * then finds the stored answer. A refusal rolls the claim back, so the id may be
 * used again (D-37). Returns the answer, and whether it is the stored one;
 * undefined where the id belongs to another operation.
 */
export async function once<T>(writer: Writer, operation: Operation, work: () => Promise<T>) {
  const { agentId, operationId, fingerprint, now } = operation;
  const claimed = await runPrepared(writer, claimOperation, [agentId, operationId, fingerprint, now]);
  if (claimed.length > 0) {
    const answer = await work();
    await runPrepared(writer, keepAnswer, [agentId, operationId, JSON.stringify(answer)]);
    return { answer, isRepeat: false };
  }
  const [known] = await runPrepared(writer, findOperation, [agentId, operationId]);
  if (known === undefined) throw new Error(`The operation ${operationId} is claimed and cannot be found.`);
  if (known.fingerprint !== fingerprint) return undefined;
  // Written by this function for the same work.
  return { answer: JSON.parse(known.answer) as T, isRepeat: true };
}

/** Claims an operation id for an agent. */
const claimOperation = prepareText<{ operation_id: string }>(
  'claim-operation',
  `insert into operations (agent_id, operation_id, fingerprint, created_at) values ($1, $2, $3, $4)
   on conflict do nothing returning operation_id`,
);

/** Keeps the answer of a claimed operation. */
const keepAnswer = prepareText<never>(
  'keep-answer-of-operation',
  'update operations set answer = $3 where agent_id = $1 and operation_id = $2',
);

// As text, because the drivers differ in whether they parse JSON.
const findOperation = prepareText<{ fingerprint: string; answer: string }>(
  'find-operation',
  'select fingerprint, answer::text as answer from operations where agent_id = $1 and operation_id = $2',
);
