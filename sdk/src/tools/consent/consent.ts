import { type Consent, isOrderCommand, type PlannedAct } from '../execute-tool.ts';
import { type JsonSchema, objectSchema, textSchema } from '../schemas/json-schema.ts';
import type { Facts, Result } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import { chooseApprovalSource, type Policy } from './policy.ts';

/** An order command that a person or the spend limit has approved. */
export interface Act {
  /** Identifies the agent, the tool and its arguments. Until the act is settled, a repeat of the call continues it. */
  readonly call: string;
  readonly facts: Facts;
}

/** Stores approved acts: `ActJournal` of `@agent-platform/sdk/approvals`, or `memoryJournal()`. */
export interface Journal {
  /** Returns the facts of a call that was approved within the last day and is not settled. */
  find(call: string): Facts | undefined;
  /** Stores an act that a person has approved, or that needs no approval. */
  store(act: Act): void;
  /** Stores an act if the spend limit covers it; otherwise returns false. */
  reserve(act: Act, limitMinor: number): boolean;
  /** Settles an act whose outcome is known: the order, or a refusal. */
  settle(operationId: string, outcome: { readonly orderId: string } | 'refused'): void;
  /**
   * Refuses an act that the spending policy does not permit.
   *
   * @throws ToolFailure `spending_policy_exceeded`, `spending_policy_invalid`
   */
  checkPolicy(facts: Facts): void;
  /** Uses a stored decision, which is valid once, and stores the act if it is an approved order command. */
  use(act: PlannedAct): 'approved' | 'refused' | undefined;
}

/** The decision on an act. After `waiting`, a repeat of the call asks again. */
export type Decision = 'approved' | 'refused' | 'waiting';

/** Obtains the user's decision on an act: with a form, a terminal prompt, or a store that the user checks later. */
export type Approve = (act: PlannedAct) => Promise<Decision>;

/**
 * Makes the `Consent` for one call. `ask` decides on acts that neither the policy nor an earlier decision permits.
 * `journal` refuses acts that the agent's spending policy does not permit, even if a person has approved them.
 */
export function makeConsent<Pending>(
  { journal, policy }: { readonly journal: Journal; readonly policy: Policy },
  ask: (act: PlannedAct, question: string) => Promise<'approved' | 'refused' | { readonly pending: Pending }>,
): Consent<Pending> {
  const store = (act: PlannedAct) => {
    // Only order commands are stored: a repeated call can continue them, because they have an idempotency key.
    if (isOrderCommand(act.tool)) journal.store({ call: act.call, facts: act.plan.facts });
    return 'approved' as const;
  };
  return {
    findApproved: async (_, call) => journal.find(call),
    decide: async (act) => {
      const { classes, facts, question } = act.plan;
      journal.checkPolicy(facts);
      const verdict = chooseApprovalSource(classes, policy);
      if (verdict === 'passes') return store(act);
      if (verdict === 'limit' && journal.reserve({ call: act.call, facts }, policy.spendLimitMinor)) return 'approved';
      if (question === undefined) throw tooMuch();
      const earlier = journal.use(act);
      // `use` has already stored the act, in the same transaction.
      if (earlier === 'approved') return earlier;
      const decision = earlier ?? (await ask(act, question));
      if (decision === 'refused') throw declined();
      return decision === 'approved' ? store(act) : decision;
    },
    settle: (operationId, outcome) => journal.settle(operationId, outcome),
  };
}

/** Makes the failure of an act that the user has declined. */
export function declined(): ToolFailure {
  return new ToolFailure('not_confirmed', 'The user declined; nothing was sent.', 'Do not try to get around it.');
}

const waitingSchema = objectSchema({
  approval: objectSchema(
    { state: textSchema('waiting'), message: textSchema('The next steps of the user and the model.') },
    { id: textSchema('The approval.'), expires_at: textSchema('When it expires.') },
  ),
});

/** Extends the schema of a result, so that it also accepts `waitingResult`. */
export function orWaiting(output: JsonSchema): JsonSchema {
  return {
    ...output,
    properties: { ...output.properties, ...waitingSchema.properties },
    required: [],
    anyOf: [output, waitingSchema].map(({ required = [] }) => ({ required })),
  };
}

/** The result of a call whose act waits for the user. */
export const waitingResult: Result = {
  approval: {
    state: 'waiting',
    message:
      'Nothing was sent: the user has to approve it. After that, make the same call again; it is carried out once.',
  },
};

function tooMuch(): ToolFailure {
  const message = 'This would publish more than a question can show; nothing was sent.';
  return new ToolFailure('too_much_to_confirm', message, 'The user can do it on a terminal: agentp me update --public');
}
