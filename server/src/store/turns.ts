import { sql } from 'kysely';
import type { Writer } from './store.ts';

// Any fixed numbers will do; they only have to be ours on this database, and different from the migrations' own.
const turns = { retention: 7_246_113_002 };

/** Waits until no other transaction, on any instance, has this turn, and keeps it until this one ends. */
export async function takeTurn(writer: Writer, turn: keyof typeof turns): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(turns[turn])})`.execute(writer);
}
