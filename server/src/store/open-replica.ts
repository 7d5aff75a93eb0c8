import { makeAvailabilityReporter } from '../platform/availability.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { openPostgresStore } from './open-store.ts';
import { CircuitBreaker } from './postgres/circuit.ts';
import { prepareSqlText } from './statements/prepared.ts';
import type { StatementWatch } from './statements/watched-statements.ts';
import type { PageSource, Store } from './store.ts';

/** The setting names a server that is not a usable standby of the database. */
class WrongReplica extends Error {
  override readonly name = 'WrongReplica';
}

/**
 * Adds the configured replica to a store, if there is one. A replica that does not respond is used once it responds;
 * one that is not a standby of this database, or cannot be read, is refused.
 */
export async function withReplica(
  store: Store,
  {
    readDatabaseUrl: url,
    databaseConnections: connectionsMax,
  }: Pick<Settings, 'readDatabaseUrl' | 'databaseConnections'>,
  log: Logger,
  watch?: StatementWatch,
): Promise<Store> {
  if (url === undefined) return store;
  const standby = await openPostgresStore(url, () => undefined, { connectionsMax, watch });
  const report = makeAvailabilityReporter(log, {
    lost: 'the replica cannot be used: the primary serves its reads',
    restored: 'the replica is used again',
  });
  const circuit = new CircuitBreaker(() => requireStandby(store, standby), report);
  try {
    await circuit.probe();
  } catch (error) {
    if (error instanceof WrongReplica) {
      await standby.close();
      throw error;
    }
  }
  return {
    ...store,
    replica: {
      read: (work) => circuit.run(() => work(standby)),
      lag: () => readLag(store, (work) => circuit.run(() => work(standby))),
      counts: { fromReplica: 0, fromPrimary: 0, unconfirmedRows: 0 },
    },
    close: async () => {
      await Promise.all([standby.close(), store.close()]);
    },
  };
}

interface Identity {
  readonly is_standby: boolean;
  readonly system: string;
  readonly database: string;
  readonly unreadable: string | null;
}

// All copies of a PostgreSQL installation share the same system identifier, which no other installation has. A
// missing table has not been replicated to the standby yet.
const identity = prepareSqlText<Identity>(
  'replica-identity',
  `select pg_is_in_recovery() as is_standby, current_database()::text as database,
     (select system_identifier::text from pg_control_system()) as system,
     (select string_agg(name, ', ') from unnest(array['bots', 'posts', 'attachments', 'search_texts']) as name
      where not has_table_privilege(to_regclass(name), 'select')) as unreadable`,
);

async function requireStandby(store: PageSource, standby: PageSource): Promise<void> {
  const [[own], [found]] = await Promise.all([store.run(identity, []), standby.run(identity, [])]);
  if (own === undefined || found === undefined) return;
  const refuse = (what: string) =>
    new WrongReplica(`PLATFORM_READ_DATABASE_URL ${what}. Name a streaming standby of the database of DATABASE_URL.`);
  if (own.system !== found.system) throw refuse('points to another PostgreSQL cluster');
  if (own.database !== found.database) throw refuse(`points to the database ${found.database}, not to ${own.database}`);
  if (!found.is_standby) throw refuse('points to a server that is not a standby');
  if (found.unreadable !== null) throw refuse(`has a user without read access to ${found.unreadable}`);
}

const position = prepareSqlText<{ readonly lsn: string; readonly at: string }>(
  'primary-position',
  'select pg_current_wal_lsn()::text as lsn, clock_timestamp()::text as at',
);

// If the primary is idle, its last transaction is old, but the replica does not lag.
const lagBehind = prepareSqlText<{ readonly seconds: number }>(
  'replica-lag',
  `select case when pg_last_wal_replay_lsn() >= $1::pg_lsn then 0 else greatest(0, extract(epoch from
     $2::timestamptz - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())))::float8 end as seconds`,
);

type Read = <T>(work: (standby: PageSource) => Promise<T>) => Promise<T | undefined>;

async function readLag(store: PageSource, read: Read): Promise<number | undefined> {
  const [now] = await store.run(position, []);
  const rows = await read((standby) => standby.run(lagBehind, [now?.lsn, now?.at]));
  return rows?.[0]?.seconds;
}
