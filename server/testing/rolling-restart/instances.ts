import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort, type ServerProcess, startServerProcess } from '@agent-platform/testing';

/** Everything that would stop the load. */
const unlimited = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
};

/** The settings of an instance with data in a folder; the instances share a folder above it. */
export type InstanceSettings = (index: number, shared: string) => Readonly<Record<string, string>>;

/** The settings of instances with files in a shared folder. */
export function onDatabase(databaseUrl: string, drainSeconds: number): InstanceSettings {
  return (_, shared) => ({
    DATABASE_URL: databaseUrl,
    PLATFORM_STORAGE_URL: pathToFileURL(join(shared, 'files')).href,
    PLATFORM_DRAIN_SECONDS: String(drainSeconds),
  });
}

/** Starts instances on one database; the arguments of Node.js start them. */
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
    /** The process that runs, or ran last, as an instance. */
    process: (index: number) => running[index],
    /** Ends an instance with a signal and returns its exit code. */
    end: async (index: number, signal: NodeJS.Signals) => await running[index]?.end(signal),
    /** Starts it again at its address; resolves when it is ready. */
    start: async (index: number) => {
      running[index] = await start(index, new URL(running[index]?.url ?? '').port);
    },
    /** Kills all of them at the same time. */
    kill: async () => {
      for (const server of running) await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
