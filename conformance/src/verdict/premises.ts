import { requirementOfOperation } from '../context/http/operations.ts';
import { apiParts } from '../context/options.ts';
import { contactsPath } from '../context/paths.ts';

/** The members of an exchange from which the cause of a failure is derived. */
export interface FailureEvidence {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly answer: string;
}

interface Premise {
  readonly of: string;
  /** Whether the failure can follow from that of the premise; otherwise it is a separate fault. */
  readonly follows: (evidence: FailureEvidence) => boolean;
}

/** The post is unreadable, as required; only the error code is wrong. */
const isHidden = ({ status }: FailureEvidence) => status >= 400;
/** Whether the fault is in a list of contacts, not in the answer to the action. */
const isListed = ({ method, path }: FailureEvidence) => method === 'GET' && path.startsWith(contactsPath);

/** Whether servers typically respond with this status to an unknown path or method. */
export function isUnknownPathStatus(status: number): boolean {
  return [404, 405, 501].includes(status);
}

/** The premise that a part of the API exists; it explains failures of requests that belong to this part. */
const isOfAbsent = (part: string): Premise => ({
  of: part,
  follows: (evidence) =>
    isUnknownPathStatus(evidence.status) && requirementOfOperation(evidence)?.startsWith(part.slice(0, -3)) === true,
});

/**
 * The premises of requirements. If a requirement fails because its premise does, only the premise is reported as
 * failed. Checks that verify a premise themselves use `precondition` instead.
 */
const premises: Readonly<Record<string, readonly Premise[]>> = {
  'AP-VISIBLE-005': [{ of: 'AP-POST-017', follows: isHidden }],
  'AP-VISIBLE-008': [{ of: 'AP-POST-017', follows: isHidden }],
  'AP-CONTACT-011': [{ of: 'AP-CONTACT-023', follows: isListed }],
  'AP-CONTACT-014': [{ of: 'AP-CONTACT-023', follows: isListed }],
  // If accepting a request does not make the agents friends, no message can be sent.
  'AP-MESSAGE-001': [{ of: 'AP-CONTACT-010', follows: ({ answer }) => answer.includes('contact_not_accepted') }],
  // "partial-refund" is an unknown action; AP-ORDER-053 covers all unknown actions.
  'AP-ORDER-078': [{ of: 'AP-ORDER-053', follows: () => true }],
  'AP-VERSION-008': [{ of: 'AP-EVENT-001', follows: ({ status }) => isUnknownPathStatus(status) }],
  'AP-ERR-004': Object.values(apiParts).map(isOfAbsent),
};

/** The failed requirement that explains the failure of another one; undefined if there is none. */
export function failedPremiseOf(
  requirement: string,
  failed: ReadonlySet<string>,
  evidence: FailureEvidence | undefined,
): string | undefined {
  if (evidence === undefined) return undefined;
  return premises[requirement]?.find(({ of, follows }) => failed.has(of) && follows(evidence))?.of;
}

export const allPremises = Object.entries(premises).flatMap(([requirement, list]) =>
  list.map(({ of }) => [requirement, of] as const),
);
