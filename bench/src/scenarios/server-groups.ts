import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ServerProcess, startServer } from '../load/server-process.ts';
import type { BenchRun } from '../run.ts';

/** The servers share a new database and the file folder of the first server. */
export async function startServers(run: BenchRun, count: number): Promise<[ServerProcess, ...ServerProcess[]]> {
  const first = await startServer(run);
  const files = pathToFileURL(join(first.folder, 'files')).href;
  const settings = { DATABASE_URL: first.databaseUrl, PLATFORM_STORAGE_URL: files };
  const servers: [ServerProcess, ...ServerProcess[]] = [first];
  while (servers.length < count) servers.push(await startServer(run, settings));
  return servers;
}
