import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from './inherited-environment.ts';

/** The reference server in a process of its own, which can be killed and comes back at its address with its data. */
export interface KillableServer {
  readonly url: string;
  /** Ends it as a power cut would, and starts it again; resolves when it is ready. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** Starts the server without limits of pace, in a folder of its own, with these settings beside the defaults. */
export async function startKillableServer(settings: Readonly<Record<string, string>> = {}): Promise<KillableServer> {
  const folder = await mkdtemp(join(tmpdir(), 'killable-server-'));
  const start = async (port: string) => {
    const child = spawn(process.execPath, [main], {
      env: {
        ...inheritedEnvironment(),
        PORT: port,
        PLATFORM_DATA_DIR: folder,
        PLATFORM_WRITES_PER_MINUTE: '0',
        PLATFORM_MESSAGES_PER_MINUTE: '0',
        PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { child, url: await readUrl(child) };
  };
  let running = await start('0');
  const { url } = running;
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal);
    if (running.child.exitCode === null && running.child.signalCode === null) await once(running.child, 'exit');
  };
  return {
    url,
    killAndRestart: async () => {
      await end('SIGKILL');
      running = await start(new URL(url).port);
    },
    stop: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  let output = '';
  return await new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
  });
}
