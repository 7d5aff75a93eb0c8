import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../store/store.ts';
import type { Agent } from './agent.ts';

/** Says in SQL that a bot, by its alias, is listed: active, with a public profile. `isListed` says it of a row. */
export function listed(alias: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${alias}.profile_public`)} and ${sql.ref(`${alias}.suspended_at`)} is null`;
}

/** The order of bots in lists: by code points, whatever the database's locale is (D-41). */
export function inListOrder(alias: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.display_name`)} collate "C", ${sql.ref(`${alias}.handle`)} collate "C"`;
}

/** Finds an active agent with a public profile. */
export async function findListedAgent(reader: Reader, id: string): Promise<Agent | undefined> {
  return await reader
    .selectFrom('bots')
    .where('id', '=', id)
    .where(({ eb }) => eb(listed('bots'), '=', true))
    .selectAll()
    .executeTakeFirst();
}
