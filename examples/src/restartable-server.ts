import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUrl } from './throwaway-server.ts';

/** A reference server that can be killed, and comes back at the same address with the same data. */
export interface RestartableServer {
  readonly url: string;
  /** Kills it as a power cut would (-9) and waits until it is ready again. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the reference server without limits of pace, in a folder of its own. */
export async function startRestartableServer(): Promise<RestartableServer> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-platform-restartable-'));
  let child = spawnServer(folder, '0');
  const url = await findUrl(child);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    url,
    killAndRestart: async () => {
      await end('SIGKILL');
      child = spawnServer(folder, new URL(url).port);
      await findUrl(child);
    },
    stop: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function spawnServer(folder: string, port: string): ChildProcess {
  const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
  const limits = ['WRITES_PER_MINUTE', 'MESSAGES_PER_MINUTE', 'REQUESTS_PER_ADDRESS_PER_MINUTE'];
  return spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: port,
      PLATFORM_DATA_DIR: folder,
      ...Object.fromEntries(limits.map((name) => [`PLATFORM_${name}`, '0'])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
