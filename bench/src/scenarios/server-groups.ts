import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ServerProcess, startServer } from '../load/server-process.ts';
import type { Run } from '../run.ts';

/** Starts so many servers on a new database. */
export async function startServers(run: Run, count: number): Promise<[ServerProcess, ...ServerProcess[]]> {
  const first = await startServer(run);
  const servers: [ServerProcess, ...ServerProcess[]] = [first];
  while (servers.length < count) servers.push(await startBeside(run, first));
  return servers;
}

/** Starts another server on the database and the files of the first. */
export async function startBeside(run: Run, { databaseUrl, folder }: ServerProcess): Promise<ServerProcess> {
  const files = pathToFileURL(join(folder, 'files')).href;
  return await startServer(run, { DATABASE_URL: databaseUrl, PLATFORM_STORAGE_URL: files });
}
