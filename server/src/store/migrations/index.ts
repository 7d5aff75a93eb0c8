import { Migration0001Baseline } from './0001-baseline.ts';

/**
 * All migrations in their order. Until the first release a change of the schema
 * edits the baseline (`baseline-agents.ts`, `baseline-files.ts`, `baseline-trade.ts`)
 * and the table in `store/tables`; after it, a released migration never changes,
 * and each change is the next number.
 */
export const migrations = [{ name: '0001-baseline', class: Migration0001Baseline }];
