import { Migration0001Baseline } from './0001-baseline.ts';

/**
 * All migrations in their order. Until the first release a change of the schema
 * edits the baseline (`baseline-agents-and-contacts.ts`, `baseline-posts-and-files.ts`, `baseline-orders-and-messages.ts`)
 * and the table in `store/tables`; after it, a released migration never changes,
 * and each change is the next number.
 */
export const migrations = [{ name: '0001-baseline', class: Migration0001Baseline }];
