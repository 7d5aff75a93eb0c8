import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import type { Reader } from '../store.ts';

/** The last commit with the migrations that the baseline replaced. */
const lastUpgradingCommit = '7aa4e464';
const formerNames = '5d8d65445f16b7f7d9716f7b8b0d053d5bad8d18d6a502fe288e339582269382';
const baseline = '0001-baseline';

/** Replaces the former migrations with the baseline in a list of names, if all of them were applied. */
export function replaceFormerMigrations(applied: readonly string[]): readonly string[] {
  return sha256(applied.toSorted().join()) === formerNames ? [baseline] : applied;
}

/** Returns advice for a database or backup with only some of the former migrations; undefined for any other. */
export function describeBaselineUpgrade(applied: readonly string[]): string | undefined {
  if (!applied.includes('0001-identity') || replaceFormerMigrations(applied) !== applied) return undefined;
  return `Its schema (${applied.at(-1)}) is from a commit before the first release: start commit ${lastUpgradingCommit} with it once, which upgrades it, and then this version.`;
}

/** Replaces the rows of former migrations with the baseline's, in one statement. Returns the recorded names. */
export async function adoptBaseline(database: Reader, applied: readonly string[]): Promise<readonly string[]> {
  if (replaceFormerMigrations(applied) === applied) return [];
  await sql`with former as (delete from migrations) insert into migrations (name) values (${baseline})`.execute(
    database,
  );
  return [baseline];
}
