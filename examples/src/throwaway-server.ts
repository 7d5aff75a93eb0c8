import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A reference server with a folder of its own, both gone after `stop`. */
export interface ThrowawayServer {
  readonly url: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;

/** Starts the reference server in a process of its own, on a free port, with its data in a temporary folder. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-platform-demo-'));
  const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', PLATFORM_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await findUrl(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until a server that was just spawned is ready, and tells its address. */
export async function findUrl(child: ChildProcess): Promise<string> {
  let output = '';
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server was not ready in time:\n${output}`)), startTimeoutMs);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The server ended with ${code}:\n${output}`));
    });
  });
}
