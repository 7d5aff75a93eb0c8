import { sql } from 'kysely';
import { toSafeInteger } from '../decode.ts';
import type { Reader } from '../store.ts';
import type { Tables } from '../tables/all-tables.ts';

/** Up to this many rows can be counted in a fraction of a second. */
const countedMax = 100_000;

interface Estimate {
  readonly all: number;
  /** Rows with null in the column. */
  readonly empty: number;
  readonly byValue: ReadonlyMap<string, number>;
}

/**
 * Estimates how many rows have each value in a column, from the database's statistics, which are accurate to about a
 * percent. Returns undefined for a small table or without statistics; then count its rows. Intended for columns with
 * few different values.
 */
export async function estimateRowsByValue<Name extends keyof Tables>(
  reader: Reader,
  table: Name,
  column: keyof Tables[Name] & string,
): Promise<Estimate | undefined> {
  const { rows } = await sql<{ all_rows: number; nulls: number; values: string; shares: string }>`
    select reltuples as all_rows, null_frac as nulls, coalesce(array_to_json(most_common_vals), '[]')::text as values,
      coalesce(array_to_json(most_common_freqs), '[]')::text as shares
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    join pg_stats on schemaname = nspname and tablename = relname
    where pg_class.oid = ${table}::regclass and attname = ${column}`.execute(reader);
  const [row] = rows;
  if (row === undefined || row.all_rows <= countedMax) return undefined;
  const values: readonly string[] = JSON.parse(row.values);
  const shares: readonly number[] = JSON.parse(row.shares);
  const rowsOf = (share: number) => toSafeInteger(Math.round(share * row.all_rows));
  const byValue = new Map(values.map((value, at) => [value, rowsOf(shares[at] ?? 0)]));
  return { all: rowsOf(1), empty: rowsOf(row.nulls), byValue };
}
