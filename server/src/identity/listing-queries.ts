import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../store/statements/prepared.ts';
import type { Reader } from '../store/store.ts';
import type { Agent } from './agent.ts';

/** This condition must match the rule of `isListed`. */
export function isListedSql(alias: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${alias}.profile_public`)} and ${sql.ref(`${alias}.suspended_at`)} is null`;
}

/** The SQL order of bots in lists: by code point, independent of the database's locale (§3.21). */
export function listOrderSql(alias: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.display_name`)} collate "C", ${sql.ref(`${alias}.handle`)} collate "C"`;
}

/**
 * The agent columns for raw SQL. They are listed by name, because a prepared statement must return the same
 * columns after a migration.
 */
export function agentColumns(alias: string): RawBuilder<Agent> {
  return sql`${sql.join(agentColumnNames.map((name) => sql.ref(`${alias}.${name}`)))}`;
}

export const agentColumnNames = columnsOf('bots');

export async function findListedAgent(reader: Reader, id: string): Promise<Agent | undefined> {
  return await selectListed(reader).where('id', '=', id).executeTakeFirst();
}

export async function findListedAgentByHandle(reader: Reader, handle: string): Promise<Agent | undefined> {
  return await selectListed(reader).where('handle', '=', handle).executeTakeFirst();
}

export async function findListedAgents(reader: Reader, ids: readonly string[]): Promise<readonly Agent[]> {
  return await selectListed(reader).where('id', 'in', ids).execute();
}

function selectListed(reader: Reader) {
  return reader
    .selectFrom('bots')
    .where(({ eb }) => eb(isListedSql('bots'), '=', true))
    .select(agentColumnNames);
}
