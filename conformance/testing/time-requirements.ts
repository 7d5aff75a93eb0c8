import { timeChecks } from '../src/areas/time/time-checks.ts';

/** The requirements that only a moved clock can test, for runs that omit them. */
export const timeRequirements: readonly string[] = timeChecks.flatMap(({ covers }) => covers);
