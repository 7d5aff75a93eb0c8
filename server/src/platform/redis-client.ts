import { createClient } from '@redis/client';
import type { ReportAvailability } from './availability.ts';

const commandTimeoutMs = 1_000;
const reconnectMaxMs = 2_000;

/** Makes a client of Redis or Valkey that fails fast while disconnected and reconnects without end. */
export function makeRedisClient(url: string, report: ReportAvailability) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: commandTimeoutMs },
    socket: { reconnectStrategy: (retries) => Math.min(reconnectMaxMs, 50 * 2 ** Math.min(retries, 6)) },
  });
  client.on('error', (error: unknown) => report(false, error));
  return client;
}
