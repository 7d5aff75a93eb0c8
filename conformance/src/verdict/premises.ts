import { requirementOfOperation } from '../context/http/operations.ts';
import { parts } from '../context/options.ts';
import { contactsPath } from '../context/paths.ts';

/** What a failure was seen by, as a report shows it. */
export interface Sight {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The body of the answer. */
  readonly answer: string;
}

interface Premise {
  readonly of: string;
  /** Whether what was seen follows from the failure of the premise; anything else is a fault of its own. */
  readonly follows: (sight: Sight) => boolean;
}

/** The post is hidden, but not as an unreadable post is. */
const isHidden = ({ status }: Sight) => status >= 400;
/** The attempt was refused, and a list has a contact that is not of its agent. */
const isListed = ({ method, path }: Sight) => method === 'GET' && path.startsWith(contactsPath);

/** Whether servers answer so to a path or a method that they do not have. */
export function isMissing(status: number): boolean {
  return [404, 405, 501].includes(status);
}

/** The request is one of a part of the API that does not exist. */
const isOfAbsent = (part: string): Premise => ({
  of: part,
  follows: (sight) => isMissing(sight.status) && requirementOfOperation(sight)?.startsWith(part.slice(0, -3)) === true,
});

/**
 * The requirements on whose fact another builds: where both fail, the second tells nothing new. A check that can verify
 * a premise itself does so, by `about`.
 */
const premises: Readonly<Record<string, readonly Premise[]>> = {
  'AP-VISIBLE-005': [{ of: 'AP-POST-017', follows: isHidden }],
  'AP-VISIBLE-008': [{ of: 'AP-POST-017', follows: isHidden }],
  'AP-CONTACT-011': [{ of: 'AP-CONTACT-023', follows: isListed }],
  'AP-CONTACT-014': [{ of: 'AP-CONTACT-023', follows: isListed }],
  // An acceptance makes friends, and friends send messages.
  'AP-MESSAGE-001': [{ of: 'AP-CONTACT-010', follows: ({ answer }) => answer.includes('contact_not_accepted') }],
  // "partial-refund" is one of the other actions.
  'AP-ORDER-078': [{ of: 'AP-ORDER-053', follows: () => true }],
  'AP-VERSION-008': [{ of: 'AP-EVENT-001', follows: ({ status }) => isMissing(status) }],
  'AP-ERR-004': Object.values(parts).map(isOfAbsent),
};

/** The failed requirement because of which another fails that builds on it; undefined if it fails by itself. */
export function failedPremiseOf(
  requirement: string,
  failed: ReadonlySet<string>,
  sight: Sight | undefined,
): string | undefined {
  if (sight === undefined) return undefined;
  return premises[requirement]?.find(({ of, follows }) => failed.has(of) && follows(sight))?.of;
}

/** Each requirement that builds on another, and that one. */
export const allPremises = Object.entries(premises).flatMap(([requirement, list]) =>
  list.map(({ of }) => [requirement, of] as const),
);
