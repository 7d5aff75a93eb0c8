import { copyEmptyDatabase } from './embedded-database.ts';
import { startServerProcess } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

/** A server in a separate process, which can be killed and restarted with the same address and data. */
export type KillableServer = Awaited<ReturnType<typeof startKillableServer>>;

/** The server has no rate limits and a separate folder. */
export async function startKillableServer(settings: Readonly<Record<string, string>> = {}) {
  const folder = makeTestFolder();
  if (!('PLATFORM_DATA_DIR' in settings || 'DATABASE_URL' in settings)) copyEmptyDatabase(folder);
  const start = (port: string) =>
    startServerProcess({
      PORT: port,
      PLATFORM_DATA_DIR: folder,
      PLATFORM_WRITES_PER_MINUTE: '0',
      PLATFORM_MESSAGES_PER_MINUTE: '0',
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
      ...settings,
    });
  let running = await start('0');
  const { url } = running;
  return {
    url,
    killAndRestart: async () => {
      await running.end('SIGKILL');
      running = await start(new URL(url).port);
    },
    stop: async () => {
      await running.end('SIGTERM');
    },
  };
}
