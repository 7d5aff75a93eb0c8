import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { reportAvailability } from '../platform/availability.ts';
import type { Logger } from '../platform/logger.ts';
import type { OpenChannel } from './shared-wake-ups.ts';

const channelName = 'agent_platform_wake_ups';

const connectTimeoutMs = 4_000;
const queryTimeoutMs = 4_000;
const reconnectFirstMs = 50;
const reconnectMaxMs = 2_000;

/** How often a silent connection is tested. */
const probeEveryMs = 10_000;

/**
 * A channel over LISTEN and NOTIFY, on one connection of its own: a pool would
 * hand the listening connection to other work. It reconnects without end.
 * Notifications are sent outside the transactions that cause them, because
 * NOTIFY inside a transaction makes commits wait for each other.
 */
export function postgresChannel(databaseUrl: string, log: Logger): OpenChannel {
  return (heard, missed) => {
    const closing = new AbortController();
    const report = reportAvailability(log, {
      lost: 'database notifications failed; events may arrive a few seconds late',
      restored: 'database notifications resumed',
    });
    let current: Client | undefined;
    const opened = (client: Client) => {
      current = client;
      report(true);
      missed();
    };
    const running = keepListening();

    async function keepListening(): Promise<void> {
      let delayMs = reconnectFirstMs;
      while (!closing.signal.aborted) {
        const startedMs = performance.now();
        const cause = await listen(databaseUrl, heard, opened, closing.signal).catch((error: unknown) => error);
        current = undefined;
        if (closing.signal.aborted) return;
        report(false, cause);
        // A connection that had held is replaced at once.
        const hadHeld = performance.now() - startedMs > probeEveryMs;
        delayMs = hadHeld ? reconnectFirstMs : Math.min(delayMs * 2, reconnectMaxMs);
        await wait(delayMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      }
    }

    return {
      publish: async (text) => {
        if (current === undefined) throw new Error('The channel is not connected.');
        await current.query('select pg_notify($1, $2)', [channelName, text]);
      },
      close: async () => {
        closing.abort();
        await running;
      },
    };
  };
}

/** Listens on a new connection until it breaks or `signal` aborts, and returns the cause. */
async function listen(
  databaseUrl: string,
  heard: (text: string) => void,
  opened: (client: Client) => void,
  signal: AbortSignal,
): Promise<unknown> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'agent-platform wake-ups',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  });
  const broken = Promise.withResolvers<unknown>();
  client.once('end', () => broken.resolve(new Error('The connection ended.')));
  client.on('error', broken.resolve);
  client.on('notification', ({ payload }) => heard(payload ?? ''));
  signal.addEventListener('abort', broken.resolve, { once: true });
  let probing: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(`listen ${channelName}`);
    probing = setInterval(() => client.query('select 1').catch(broken.resolve), probeEveryMs).unref();
    opened(client);
    return await broken.promise;
  } finally {
    clearInterval(probing);
    signal.removeEventListener('abort', broken.resolve);
    client.end().catch(() => undefined);
  }
}
