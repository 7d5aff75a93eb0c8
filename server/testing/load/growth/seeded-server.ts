import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { Client } from 'pg';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Disables limits, backups and retention, for a database made by fill.ts. */
export function settingsForSeededDatabase(url: string, dataFolder: string): Readonly<Record<string, string>> {
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

/** The folder of the storage no longer exists; without its id, the next process may use a different folder. */
export async function deleteStorageId(client: Client): Promise<void> {
  await client.query(`delete from platform_facts where name = 'storage'`);
}

/** Stores the server's data in the subfolder `name`. */
export async function startSeededServer(url: string, folder: string, name: string): Promise<ServerProcess> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await deleteStorageId(client);
  await client.end();
  return await startServerProcess(settingsForSeededDatabase(url, join(folder, name)), [main]);
}

export const seededToken = (agentId: string) => `apt_seeded_${agentId}`;

/** Returns the value that `share` of the values do not exceed; 0.5 gives the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
