import type { CaseCounts, RequirementTests } from '../context/check.ts';
import { NotJudgedError, SkippedError, Violation } from '../context/expectations.ts';

/** What a check observed about its requirements, in order. `judge.ts` derives the verdicts. */
export interface CheckRecord {
  readonly covers: readonly string[];
  readonly entries: readonly Entry[];
  /** The error that ended the check; undefined if it finished. */
  readonly end: { readonly error: unknown } | undefined;
}

/** The result of one call of `requirement` or `precondition`. */
type Entry =
  | { readonly met: readonly string[]; readonly cases: CaseCounts | undefined }
  | { readonly unmet: readonly string[]; readonly error: unknown };

export async function recordCheck(
  covers: readonly string[],
  check: (tests: RequirementTests) => Promise<void>,
): Promise<CheckRecord> {
  const entries: Entry[] = [];
  const end = await check(recordInto(entries)).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  return { covers, entries, end };
}

function recordInto(entries: Entry[]): RequirementTests {
  return {
    requirement: async <T>(
      requirement: string | readonly string[],
      work: () => T | Promise<T>,
      options: { readonly isPart?: true; readonly cases?: CaseCounts } = {},
    ) => {
      const ids = [requirement].flat();
      try {
        const value = await work();
        if (options.isPart !== true) entries.push({ met: ids, cases: options.cases });
        return value;
      } catch (error) {
        if (![Violation, SkippedError, NotJudgedError].some((kind) => error instanceof kind)) throw error;
        entries.push({ unmet: ids, error });
        return undefined;
      }
    },
    precondition: async (id, work, options) => {
      try {
        const value = await work();
        if (options?.isPart !== true) entries.push({ met: [id], cases: undefined });
        return value;
      } catch (error) {
        if (error instanceof Violation) error.requirement ??= id;
        throw error;
      }
    },
  };
}
