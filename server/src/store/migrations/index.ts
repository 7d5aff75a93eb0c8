import { Migration0001Baseline } from './0001-baseline.ts';

/**
 * All migrations in order. Until the first release, schema changes are made in the baseline
 * (`baseline-agents-and-contacts.ts`, `baseline-posts-and-files.ts`, `baseline-orders-and-messages.ts`) and the tables
 * in `store/tables`; afterwards, each change is a new migration, and released ones stay unchanged.
 */
export const migrations = [{ name: '0001-baseline', class: Migration0001Baseline }];
