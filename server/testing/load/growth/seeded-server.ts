import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { Client } from 'pg';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Settings that disable limits, backups and retention, for a database made by fill.ts. */
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

/** Removes the id of the storage, whose folder no longer exists, so that the next process may use a different one. */
export async function deleteStorageId(client: Client): Promise<void> {
  await client.query(`delete from platform_facts where name = 'storage'`);
}

/** Starts a server on a database made by fill.ts, with its data in the named folder. */
export async function startSeededServer(url: string, folder: string, name: string): Promise<ServerProcess> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await deleteStorageId(client);
  await client.end();
  return await startServerProcess(seededSettings(url, join(folder, name)), [main]);
}

/** The token of a seeded agent. */
export const seededToken = (agentId: string) => `apt_seeded_${agentId}`;

/** Returns the value that `share` of the values do not exceed; for example, 0.5 gives the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
