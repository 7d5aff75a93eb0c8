import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Writer } from '../store/store.ts';

/** An operation with the id of its agent. */
interface Operation {
  readonly agentId: string;
  readonly operationId: string;
  readonly fingerprint: string;
  readonly now: Date;
}

/** The answer to a first call, or the stored one to a repeat. */
type Outcome<Answer, Stored> =
  | { readonly answer: Answer; readonly isRepeat: false }
  | { readonly stored: Stored; readonly isRepeat: true };

/**
 * Does the work of an operation once. The first statement claims the id: a
 * concurrent duplicate waits on its unique index until this transaction ends, and
 * then finds the answer as `reduce` made it for storing. A refusal rolls the claim back,
 * so the id may be used again (D-37). Undefined where the id belongs to another
 * operation.
 */
export async function once<Answer, Stored>(
  writer: Writer,
  operation: Operation,
  reduce: (answer: Answer) => Stored,
  work: () => Promise<Answer>,
): Promise<Outcome<Answer, Stored> | undefined> {
  const { agentId, operationId, fingerprint, now } = operation;
  const claimed = await runPrepared(writer, claimOperation, [agentId, operationId, fingerprint, now]);
  if (claimed.length > 0) {
    const answer = await work();
    await runPrepared(writer, keepAnswer, [agentId, operationId, JSON.stringify(reduce(answer))]);
    return { answer, isRepeat: false };
  }
  const [known] = await runPrepared(writer, findOperation, [agentId, operationId]);
  if (known === undefined) throw new Error(`The operation ${operationId} is claimed and cannot be found.`);
  if (known.fingerprint !== fingerprint) return undefined;
  // Written by this function for the same work.
  return { stored: JSON.parse(known.answer) as Stored, isRepeat: true };
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
