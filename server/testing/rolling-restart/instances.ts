import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort, type ServerProcess, startServerProcess } from '@agent-platform/testing';

/** Disables every limit that would stop the load. */
const unlimited = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
};

/** Returns the settings of the instance with this index; all instances share the folder `shared`. */
export type InstanceSettings = (index: number, shared: string) => Readonly<Record<string, string>>;

/** The settings of instances that share a database and a folder for files. */
export function sharedDatabaseSettings(databaseUrl: string, drainSeconds: number): InstanceSettings {
  return (_, shared) => ({
    DATABASE_URL: databaseUrl,
    PLATFORM_STORAGE_URL: pathToFileURL(join(shared, 'files')).href,
    PLATFORM_DRAIN_SECONDS: String(drainSeconds),
  });
}

/** Starts instances on one database, with these Node.js arguments. */
export async function startInstances(count: number, settings: InstanceSettings, args?: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'instances-'));
  const dataDir = (index: number) => join(folder, String(index));
  const start = (index: number, port: string) =>
    startServerProcess(
      { ...unlimited, PORT: port, PLATFORM_DATA_DIR: dataDir(index), ...settings(index, folder) },
      args,
    );
  const running: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1) running.push(await start(index, String(await findFreePort())));
  return {
    urls: running.map(({ url }) => url),
    dataDir,
    /** The current or last process of an instance. */
    process: (index: number) => running[index],
    /** Sends a signal to an instance and returns its exit code. */
    end: async (index: number, signal: NodeJS.Signals) => await running[index]?.end(signal),
    /** Restarts an instance at its address; resolves when it is ready. */
    start: async (index: number) => {
      running[index] = await start(index, new URL(running[index]?.url ?? '').port);
    },
    /** Kills all instances and removes their folders. */
    kill: async () => {
      for (const server of running) await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
