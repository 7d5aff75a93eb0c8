import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';
import { onTestFinished } from 'vitest';

/** Starts the reference server with a database of its own; it ends with the test. */
export async function startReferenceServer(environment: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-server-'));
  const settings = readSettings({ PORT: '0', PLATFORM_DATA_DIR: folder, ...environment });
  const log = makeLogger('fatal', { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings, clock: systemClock, log });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return server.url;
}
