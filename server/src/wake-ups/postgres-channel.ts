import { Client } from 'pg';
import type { Logger } from '../platform/logger.ts';
import type { Channel, OpenChannel } from './shared-wake-ups.ts';

const channelName = 'agent_platform_wake_ups';

const connectTimeoutMs = 4_000;
const queryTimeoutMs = 4_000;
const reconnectFirstMs = 50;
const reconnectMaxMs = 2_000;

/** A connection that nothing comes from is asked this often whether it is still there. */
const lookEveryMs = 10_000;

/**
 * A channel over LISTEN and NOTIFY, on one connection of its own: a pool would
 * hand the listening connection on. It reconnects by itself. Notifications are
 * sent outside the transactions that they tell of, because NOTIFY inside one
 * makes commits wait for each other.
 */
export function postgresChannel(databaseUrl: string, log: Logger): OpenChannel {
  return (heard, missed) => {
    let current: Client | undefined;
    let isClosed = false;
    let isReported = false;
    let wait: { readonly end: () => void } | undefined;
    let breakOff: () => void = () => undefined;
    const running = keepListening();
    const looking = setInterval(() => {
      current?.query('select 1').catch(() => breakOff());
    }, lookEveryMs).unref();

    async function keepListening(): Promise<void> {
      let delayMs = reconnectFirstMs;
      while (!isClosed) {
        const startedMs = performance.now();
        await listenOnce().catch(report);
        // One that had held gets the next one at once.
        delayMs =
          performance.now() - startedMs > lookEveryMs ? reconnectFirstMs : Math.min(delayMs * 2, reconnectMaxMs);
        if (!isClosed) await pause(delayMs);
      }
    }

    async function listenOnce(): Promise<void> {
      const client = new Client({
        connectionString: databaseUrl,
        application_name: 'agent-platform wake-ups',
        connectionTimeoutMillis: connectTimeoutMs,
        query_timeout: queryTimeoutMs,
        keepAlive: true,
      });
      const broken = new Promise<unknown>((resolve) => {
        breakOff = () => resolve(undefined);
        client.once('end', resolve);
        client.on('error', resolve);
      });
      client.on('notification', ({ payload }) => heard(payload ?? ''));
      try {
        await client.connect();
        await client.query(`listen ${channelName}`);
        current = client;
        if (isReported) log.info('database notifications resumed');
        isReported = false;
        missed();
        const cause = await broken;
        if (!isClosed) report(cause);
      } finally {
        current = undefined;
        client.end().catch(() => undefined);
      }
    }

    function report(cause: unknown): void {
      if (isReported || isClosed) return;
      isReported = true;
      const text = cause instanceof Error ? cause.message : 'the connection ended';
      log.warn({ cause: text }, 'database notifications failed; events may arrive a few seconds late');
    }

    function pause(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        wait = {
          end: () => {
            clearTimeout(timer);
            resolve();
          },
        };
      });
    }

    const channel: Channel = {
      publish: async (text) => {
        if (current === undefined) throw new Error('The channel is not connected.');
        await current.query('select pg_notify($1, $2)', [channelName, text]);
      },
      close: async () => {
        isClosed = true;
        clearInterval(looking);
        breakOff();
        wait?.end();
        await running;
      },
    };
    return channel;
  };
}
