/** How many of the cases of a requirement a run tests; the others wait for a later run. */
export interface Cases {
  readonly made: number;
  readonly of: number;
}

/**
 * Tests a requirement, or several that say the same: a violation inside fails it alone, and the check goes on without a
 * value. With `precondition` the rest of the check builds on it: a violation fails this requirement and ends the check.
 * A part of what the requirement says (`isPart`) is no pass by itself.
 */
export interface TestRequirement {
  <T>(
    id: string,
    work: () => T | Promise<T>,
    options: { readonly precondition: true; readonly isPart?: true },
  ): Promise<T>;
  <T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: Cases } | { readonly isPart: true },
  ): Promise<T | undefined>;
}
