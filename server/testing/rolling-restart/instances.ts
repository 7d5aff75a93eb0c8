import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';

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

/** Starts instances on a PostgreSQL database, which drain for `drainSeconds`. */
export async function startInstances(count: number, databaseUrl: string, drainSeconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'instances-'));
  const start = (index: number, port: string) =>
    startServerProcess({
      ...unlimited,
      DATABASE_URL: databaseUrl,
      PORT: port,
      PLATFORM_DATA_DIR: join(folder, String(index)),
      PLATFORM_STORAGE_URL: pathToFileURL(join(folder, 'files')).href,
      PLATFORM_DRAIN_SECONDS: String(drainSeconds),
    });
  const running: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1) running.push(await start(index, '0'));
  return {
    urls: running.map(({ url }) => url),
    /** Stops an instance with SIGTERM and returns its exit code. */
    stop: async (index: number) => await running[index]?.end('SIGTERM'),
    /** Starts it again at its address; resolves when it is ready. */
    start: async (index: number) => {
      running[index] = await start(index, new URL(running[index]?.url ?? '').port);
    },
    /** Ends all of them at once. */
    kill: async () => {
      for (const server of running) await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
