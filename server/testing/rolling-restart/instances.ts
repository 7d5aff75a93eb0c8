import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort, type ServerProcess, startServerProcess } from '@agent-platform/testing';

/** Disables every limit that would refuse the load. */
const unlimited = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
};

/** Returns the settings of an instance by its index; all instances share the folder `shared`. */
export type InstanceSettings = (index: number, shared: string) => Readonly<Record<string, string>>;

/** The instances share a database and a folder for files. */
export function sharedDatabaseSettings(databaseUrl: string, drainSeconds: number): InstanceSettings {
  return (_, shared) => ({
    DATABASE_URL: databaseUrl,
    PLATFORM_STORAGE_URL: pathToFileURL(join(shared, 'files')).href,
    PLATFORM_DRAIN_SECONDS: String(drainSeconds),
  });
}

/** `args` are the arguments of Node.js. */
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
    /** The current process of an instance, or the last one if it has ended. */
    process: (index: number) => running[index],
    end: async (index: number, signal: NodeJS.Signals) => await running[index]?.end(signal),
    /** Restarts an instance with the same address; resolves when it is ready. */
    start: async (index: number) => {
      running[index] = await start(index, new URL(running[index]?.url ?? '').port);
    },
    kill: async () => {
      for (const server of running) await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
