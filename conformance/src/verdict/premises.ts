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

/**
 * The requirements on whose fact another builds: where both fail, the second tells nothing new. A check that can verify
 * a premise itself does so, by `about`.
 */
const premises: Readonly<Record<string, Premise>> = {
  'AP-VISIBLE-005': { of: 'AP-POST-017', follows: isHidden },
  'AP-VISIBLE-008': { of: 'AP-POST-017', follows: isHidden },
  'AP-CONTACT-011': { of: 'AP-CONTACT-023', follows: isListed },
  'AP-CONTACT-014': { of: 'AP-CONTACT-023', follows: isListed },
  // An acceptance makes friends, and friends send messages.
  'AP-MESSAGE-001': { of: 'AP-CONTACT-010', follows: ({ answer }) => answer.includes('contact_not_accepted') },
  // "partial-refund" is one of the other actions.
  'AP-ORDER-078': { of: 'AP-ORDER-053', follows: () => true },
};

/** The failed requirement because of which another fails that builds on it; undefined if it fails by itself. */
export function failedPremiseOf(
  requirement: string,
  failed: ReadonlySet<string>,
  sight: Sight | undefined,
): string | undefined {
  const premise = premises[requirement];
  if (premise === undefined || sight === undefined || !failed.has(premise.of)) return undefined;
  return premise.follows(sight) ? premise.of : undefined;
}

/** Each requirement that builds on another, and that one. */
export const allPremises = Object.entries(premises).map(([requirement, { of }]) => [requirement, of] as const);
