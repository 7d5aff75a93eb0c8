import { Client } from 'pg';
import { keepConnected } from '../platform/connections/reconnect.ts';

const connectTimeoutMs = 4_000;
const queryTimeoutMs = 4_000;

/** How often a silent connection is tested. */
const probeEveryMs = 10_000;

/** State of a process's session, such as LISTEN or advisory locks, which ends with the connection. */
interface SessionPart {
  /** Sets up the state on a new connection; a rejection closes the connection. */
  opened(client: Client): Promise<void>;
  /** Called when the connection has ended or could not be opened. */
  ended(cause: unknown): void;
}

/** A PostgreSQL connection of one process. It is not in the pool, which would assign it to other work. */
export interface PostgresSession {
  /** Adds state. Call this before the first connection, in the event loop turn that opens the session. */
  add(part: SessionPart): void;
  close(): Promise<void>;
}

/** Connects, and reconnects whenever the connection breaks. */
export function openPostgresSession(databaseUrl: string): PostgresSession {
  const closing = new AbortController();
  const parts: SessionPart[] = [];
  const tellParts = (cause: unknown) => {
    for (const part of parts) part.ended(cause);
  };
  const running = keepConnected(() => connect(databaseUrl, parts, closing.signal), tellParts, closing.signal);

  return {
    add: (part) => void parts.push(part),
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

/** Keeps one connection until it breaks or `signal` aborts, and returns the cause. */
async function connect(databaseUrl: string, parts: readonly SessionPart[], signal: AbortSignal): Promise<unknown> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'agent-platform session',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  });
  const broken = Promise.withResolvers<unknown>();
  client.once('end', () => broken.resolve(new Error('The connection ended.')));
  client.on('error', broken.resolve);
  signal.addEventListener('abort', broken.resolve, { once: true });
  let probing: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    for (const part of parts) await part.opened(client);
    probing = setInterval(() => client.query('select 1').catch(broken.resolve), probeEveryMs).unref();
    return await broken.promise;
  } finally {
    clearInterval(probing);
    signal.removeEventListener('abort', broken.resolve);
    client.end().catch(() => undefined);
  }
}
