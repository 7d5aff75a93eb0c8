import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';

/** A server of the reference, in this process. */
export interface ReferenceServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The limits that a test with many runs would run into. */
export const withoutLimits = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
} as const;

/** Starts the reference server on a free port with a database of its own, and these settings beside the defaults. */
export async function startReferenceServer(settings: Readonly<Record<string, string>> = {}): Promise<ReferenceServer> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-server-'));
  const server = await startServer({
    settings: readSettings({ PORT: '0', PLATFORM_DATA_DIR: folder, ...settings }),
    clock: systemClock,
    log: makeLogger('fatal', { stream: process.stderr, isTerminal: false }),
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
