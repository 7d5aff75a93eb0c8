import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { grantCredits } from '@agent-platform/testing/operator';

/** A reference server with its data in a temporary folder, which `stop` removes. */
export interface ThrowawayServer {
  readonly url: string;
  readonly dataDir: string;
  grant(handle: string, amountMinor: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the reference server in a separate process, on a free port, with its data in a temporary folder. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-platform-demo-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  try {
    copyEmptyDatabase(dataDir);
    const { url, end } = await startServerProcess({ PLATFORM_DATA_DIR: dataDir, PLATFORM_UPLOAD_ISOLATION: 'auto' });
    const stop = async () => {
      await end('SIGTERM');
      await removeData();
    };
    return { url, dataDir, grant: (handle, amountMinor) => grantCredits(dataDir, handle, amountMinor), stop };
  } catch (error) {
    await removeData();
    throw error;
  }
}
