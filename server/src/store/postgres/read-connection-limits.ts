import { Client } from 'pg';
import type { Settings } from '../../platform/settings/settings.ts';
import { databaseTimeouts } from '../store.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';
import { type ConnectionLimit, countConnectionsPerInstance, findConnectionShortage } from './connection-budget.ts';

// Every role may read the names and databases of all sessions. Walsenders have no database and do not count.
const limitsText = `
  with me as (select oid, rolsuper, rolconnlimit from pg_roles where rolname = current_user),
  used as (
    select datname = current_database() as is_here, usesysid = (select oid from me) as is_mine,
           coalesce(datname = current_database() and application_name like 'agent-platform%', false) as is_ours,
           datname = current_database() and application_name = 'agent-platform session' as is_instance
    from pg_stat_activity
    where usesysid is not null and datname is not null and leader_pid is null and pid <> pg_backend_pid()
  ),
  limits as (
    select 'max_connections' as name, false as of_role, false as of_database,
           current_setting('max_connections')::int - case when rolsuper then 0 else
             current_setting('superuser_reserved_connections')::int
             + coalesce(current_setting('reserved_connections', true)::int, 0) end as connections
    from me
    union all
    select 'the connection limit of the role', true, false, rolconnlimit from me where not rolsuper and rolconnlimit >= 0
    union all
    select 'the connection limit of the database', false, true, datconnlimit from pg_database, me
    where datname = current_database() and not rolsuper and datconnlimit >= 0
  )
  select name, connections, count(*) filter (where is_instance)::int as instances,
         count(*) filter (where not is_ours)::int as others
  from limits left join used on (is_mine or not of_role) and (is_here or not of_database)
  group by name, connections order by connections`;

type ConnectionSettings = Pick<Settings, 'databaseUrl' | 'directDatabaseUrl' | 'databaseConnections'>;

/** Reads the connection limits; empty with the embedded database, or with a pooler, which has its own limits. */
export async function readConnectionLimits({
  databaseUrl,
  directDatabaseUrl = databaseUrl,
}: ConnectionSettings): Promise<readonly ConnectionLimit[]> {
  if (directDatabaseUrl === undefined) return [];
  const client = new Client({
    connectionString: directDatabaseUrl,
    application_name: 'agent-platform start',
    connectionTimeoutMillis: databaseTimeouts.connectMs,
    query_timeout: databaseTimeouts.statementMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // A pooler reports made-up process ids, because it cancels queries for its clients.
    if (rows[0]?.pid !== Reflect.get(client, 'processID')) return [];
    return (await client.query<ConnectionLimit>(limitsText)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Refuses to start a server if PostgreSQL has too few connections left for it. */
export async function requireConnections(settings: ConnectionSettings): Promise<void> {
  const limits = await readConnectionLimits(settings).catch((error: unknown) => {
    // The store's first query reports that the database is unavailable.
    if (isDatabaseUnavailable(error)) return [];
    throw error;
  });
  const shortage = findConnectionShortage(limits, countConnectionsPerInstance(settings));
  if (shortage !== undefined) throw new Error(shortage);
}
