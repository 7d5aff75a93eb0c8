import { timeChecks } from '../src/areas/time/time-checks.ts';

/** The ids of the requirements that can only be tested with a moved clock, for runs that skip them. */
export const timeRequirements: readonly string[] = timeChecks.flatMap(({ covers }) => covers);
