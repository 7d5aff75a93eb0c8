import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';
import { grantCredits } from '@agent-platform/testing/operator';
import { onTestFinished } from 'vitest';

/** A reference server whose operator grants credits. */
export interface ReferenceServer {
  readonly url: string;
  grant(handle: string, amountMinor: number): Promise<void>;
}

/** Starts the reference server with a database of its own; it ends with the test. */
export async function startReferenceServer(environment: Record<string, string> = {}): Promise<string> {
  return (await startServerWithOperator(environment)).url;
}

/** The same, with the operator at hand. */
export async function startServerWithOperator(environment: Record<string, string> = {}): Promise<ReferenceServer> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-server-'));
  const settings = readSettings({ PORT: '0', PLATFORM_DATA_DIR: folder, ...environment });
  const log = makeLogger('fatal', { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings, clock: systemClock, log });
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { url: server.url, grant: (handle, amountMinor) => grantCredits(folder, handle, amountMinor) };
}
