import type { ActClass } from '../tool.ts';

/** The confirmation policy, which is fixed at startup. */
export interface Policy {
  /** Classes of acts that need no confirmation; `money` is never among them. */
  readonly allowed: ReadonlySet<ActClass>;
  /** Credits in minor units that may be spent in 24 hours without a confirmation. */
  readonly spendLimitMinor: number;
}

/** What approves an act: the policy itself (`passes`), the spend limit, or a person. */
export type ApprovalSource = 'passes' | 'limit' | 'person';

/** Every class must be permitted: `money` by the spend limit, and all others by `allowed`. */
export function chooseApprovalSource(
  classes: readonly ActClass[],
  { allowed, spendLimitMinor }: Policy,
): ApprovalSource {
  const open = classes.filter((actClass) => actClass === 'money' || !allowed.has(actClass));
  if (open.length === 0) return 'passes';
  return open.every((actClass) => actClass === 'money') && spendLimitMinor > 0 ? 'limit' : 'person';
}
