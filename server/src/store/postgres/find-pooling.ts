import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { errorCodeOf } from '../../platform/error-facts.ts';

/**
 * The connection pooler between the server and PostgreSQL, if any. It assigns a connection to a client for a whole
 * session or for one transaction; in transaction mode, only some poolers keep prepared statements.
 */
export interface Pooling {
  readonly mode: 'none' | 'session' | 'transaction';
  readonly keepsStatements: boolean;
  /** The session settings that the pooler's connections lack, as SQL that sets them. */
  readonly missingSettings: string;
}

const connectTimeoutMs = 4_000;
const queryTimeoutMs = 5_000;
const attempts = 2;
const unknownStatement = '26000';

/** `settings` are the ones that a session needs. */
export async function findPooling(databaseUrl: string, settings: Readonly<Record<string, string>>): Promise<Pooling> {
  const clients: Client[] = [];
  const connect = async () => {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'agent-platform start',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
    });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    return await examine(connect, settings);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function examine(connect: () => Promise<Client>, settings: Readonly<Record<string, string>>): Promise<Pooling> {
  const client = await connect();
  // The name is random, because other processes may use the same pooled connection.
  const name = `agent_platform_${randomBytes(8).toString('hex')}`;
  const readProcess = async (from: Client, prepared = {}) => {
    const { rows } = await from.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid', ...prepared });
    return rows[0]?.pid;
  };
  const first = await readProcess(client, { name });
  // A pooler reports made-up process ids, because it cancels queries for its clients.
  if (first === Reflect.get(client, 'processID')) return { mode: 'none', keepsStatements: true, missingSettings: '' };
  const found = async (keepsStatements: boolean): Promise<Pooling> => ({
    mode: 'transaction',
    keepsStatements,
    missingSettings: await findMissing(client, settings),
  });
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    // In transaction mode, this transaction gets the connection that the first client has released.
    const other = await connect();
    await other.query('begin');
    const taken = await readProcess(other);
    try {
      const second = await readProcess(client, { name });
      if (taken === first || second !== first) return await found(true);
    } catch (error) {
      if (errorCodeOf(error) === unknownStatement) return await found(false);
      throw error;
    }
  }
  return { mode: 'session', keepsStatements: true, missingSettings: '' };
}

async function findMissing(client: Client, settings: Readonly<Record<string, string>>): Promise<string> {
  const { rows } = await client.query<{ missing: string | null }>(
    `select string_agg(format('alter role %I set %s = %L;', current_user, name, value), ' ' order by name) as missing
     from unnest($1::text[], $2::text[]) as wanted (name, value)
     where current_setting(name) is distinct from value`,
    [Object.keys(settings), Object.values(settings)],
  );
  return rows[0]?.missing ?? '';
}
