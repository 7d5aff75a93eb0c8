/** How many of the cases of a requirement a run tests; the others wait for a later run. */
export interface Cases {
  readonly made: number;
  readonly of: number;
}

/** How a check tests its requirements. A part of what a requirement says (`isPart`) is no pass by itself. */
export interface RequirementTests {
  /** Tests a requirement, or several that say the same: a violation fails it alone, and the check goes on without a value. */
  requirement<T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: Cases } | { readonly isPart: true },
  ): Promise<T | undefined>;
  /** The same, where the rest of the check builds on it: a violation fails this requirement and ends the check. */
  precondition<T>(id: string, work: () => T | Promise<T>, options?: { readonly isPart: true }): Promise<T>;
}

const untested = async <T>(_id: unknown, work: () => T | Promise<T>) => await work();

/** Tests nothing: what is thrown ends the work. */
export const unjudged: RequirementTests = { requirement: untested, precondition: untested };
