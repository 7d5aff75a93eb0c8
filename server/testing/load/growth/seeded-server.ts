import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { Client } from 'pg';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Settings without limits, backups and retention, for a database that fill.ts made. */
export function seededSettings(url: string, dataFolder: string): Readonly<Record<string, string>> {
  const unreached = '1000000000';
  return {
    DATABASE_URL: url,
    PLATFORM_DATA_DIR: dataFolder,
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: unreached,
    PLATFORM_WRITES_PER_MINUTE: unreached,
    PLATFORM_MESSAGES_PER_MINUTE: unreached,
    PLATFORM_BACKUP_HOURS: '0',
    PLATFORM_RETENTION_EVERY_MINUTES: '0',
  };
}

/** Lets the next process use another storage than the one before, whose folder is gone. */
export async function forgetStorage(client: Client): Promise<void> {
  await client.query(`delete from platform_facts where name = 'storage'`);
}

/** Starts a server, with its data in a folder of that name, on a database that fill.ts made. */
export async function startSeededServer(url: string, folder: string, name: string): Promise<ServerProcess> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await forgetStorage(client);
  await client.end();
  return await startServerProcess(seededSettings(url, join(folder, name)), [main]);
}

/** The token that the seed gave an agent. */
export const seededToken = (agentId: string) => `apt_seeded_${agentId}`;

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
