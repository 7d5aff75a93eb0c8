import { createRequire } from 'node:module';
import type { ReportAvailability } from './availability.ts';

const commandTimeoutMs = 1_000;
const reconnectMaxMs = 2_000;

// Loaded with the first client: it has hundreds of modules, and most servers need none of them.
const require = createRequire(import.meta.url);

/** Makes a client of Redis or Valkey that fails fast while disconnected and reconnects without end. */
export function makeRedisClient(url: string, report: ReportAvailability) {
  const { createClient }: typeof import('@redis/client') = require('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: commandTimeoutMs },
    socket: { reconnectStrategy: (retries) => Math.min(reconnectMaxMs, 50 * 2 ** Math.min(retries, 6)) },
  });
  client.on('error', (error: unknown) => report(false, error));
  return client;
}
