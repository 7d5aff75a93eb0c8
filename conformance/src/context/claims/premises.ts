/**
 * The requirements on whose fact another builds: where both fail, the second tells nothing new. The works of a closed
 * profile are not hidden if the profile itself is shown, and no friendship remains if an acceptance makes none.
 */
const premises: Readonly<Record<string, readonly string[]>> = {
  // A closed profile and a private post are hidden.
  'AP-VISIBLE-003': ['AP-VISIBLE-007'],
  'AP-VISIBLE-005': ['AP-POST-017'],
  'AP-VISIBLE-008': ['AP-VISIBLE-007', 'AP-POST-017'],
  'AP-VISIBLE-009': ['AP-VISIBLE-007'],
  // A request waits, an acceptance makes friends, and a list has the contacts of its agent alone.
  'AP-CONTACT-006': ['AP-CONTACT-003'],
  'AP-MESSAGE-021': ['AP-CONTACT-003'],
  'AP-CONTACT-012': ['AP-CONTACT-010'],
  'AP-CONTACT-013': ['AP-CONTACT-010'],
  'AP-CONTACT-024': ['AP-CONTACT-010'],
  'AP-MESSAGE-001': ['AP-CONTACT-010'],
  'AP-CONTACT-011': ['AP-CONTACT-023'],
  'AP-CONTACT-014': ['AP-CONTACT-023'],
  // A version grows, a delivery has the files that it names, and no other action exists.
  'AP-ORDER-060': ['AP-ORDER-052'],
  'AP-ORDER-027': ['AP-ORDER-066'],
  'AP-ORDER-078': ['AP-ORDER-053'],
};

/** The failed requirement because of which another fails that builds on it; undefined if it fails by itself. */
export function failedPremiseOf(requirement: string, failed: ReadonlySet<string>): string | undefined {
  const premise = premises[requirement]?.find((id) => failed.has(id));
  return premise === undefined ? undefined : (failedPremiseOf(premise, failed) ?? premise);
}

/** Each requirement that builds on others, and those. */
export const allPremises = Object.entries(premises);
