import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A reference server with a folder of its own; `stop` removes both. */
export interface ThrowawayServer {
  readonly url: string;
  readonly dataDir: string;
  /** Grants test credits to an agent with the operator's command. */
  grant(handle: string, amountMinor: number): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const operator = fileURLToPath(new URL('../../server/src/operator/main.ts', import.meta.url));
const startTimeoutMs = 60_000;

/** Starts the reference server in a process of its own, on a free port, with its data in a temporary folder. */
export async function startThrowawayServer(): Promise<ThrowawayServer> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-platform-demo-'));
  const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', PLATFORM_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const grant = async (handle: string, amountMinor: number) => {
    const env = { PATH: process.env['PATH'] ?? '', PLATFORM_DATA_DIR: folder };
    await run(process.execPath, [operator, 'credits', 'grant', handle, String(amountMinor)], { env });
  };
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await findUrl(child), dataDir: folder, grant, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findUrl(child: ChildProcess): Promise<string> {
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
