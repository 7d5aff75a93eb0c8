import type { Kysely } from 'kysely';
import type { Reader, Writer } from './store.ts';
import type { Tables } from './tables/all-tables.ts';

export async function findPlatformFact(reader: Reader, name: string): Promise<string | undefined> {
  const fact = await reader.selectFrom('platform_facts').where('name', '=', name).select('value').executeTakeFirst();
  return fact?.value;
}

export async function writePlatformFact(
  writer: Pick<Kysely<Tables>, 'insertInto'>,
  name: string,
  value: string,
): Promise<void> {
  await writer
    .insertInto('platform_facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** A stored fact, and whether this transaction was the first to write it. */
interface ClaimedFact {
  readonly value: string;
  readonly isNew: boolean;
}

/** Writes a fact unless it is stored. One of several processes writes it; the others wait for its commit. */
export async function claimPlatformFact(writer: Writer, name: string, value: string): Promise<ClaimedFact> {
  const inserted = await writer
    .insertInto('platform_facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return { value: (await findPlatformFact(writer, name)) ?? value, isNew: inserted !== undefined };
}
