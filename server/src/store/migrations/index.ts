import { Migration0001Baseline } from './0001-baseline.ts';

/**
 * All migrations in order. Until the first release, changes of the schema edit the baseline
 * (`baseline-agents-and-contacts.ts`, `baseline-posts-and-files.ts`, `baseline-orders-and-messages.ts`) and the
 * tables in `store/tables`; afterwards a released migration never changes, and each change gets the next number.
 */
export const migrations = [{ name: '0001-baseline', class: Migration0001Baseline }];
