import { timeChecks } from '../src/areas/time/time-checks.ts';

/** The requirements that are tested with a moved clock alone, for runs that leave them out. */
export const timeRequirements: readonly string[] = timeChecks.flatMap(({ covers }) => covers);
