import { timeChecks } from '../src/areas/time/time-checks.ts';

/** The requirements that can only be tested with a moved clock, for runs that omit them. */
export const timeRequirements: readonly string[] = timeChecks.flatMap(({ covers }) => covers);
