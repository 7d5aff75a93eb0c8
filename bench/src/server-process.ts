import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From the spawn until it said that it was ready. */
  readonly secondsToReady: number;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
}

/** The main file of the reference server. */
export const referenceServer = fileURLToPath(import.meta.resolve('../../server/src/main.ts'));

const readyTimeoutMs = 30_000;
const lookEveryMs = 5;
const stopTimeoutMs = 12_000;

/**
 * Starts a server that prints `{"msg":"ready","url":…}` when it listens. What
 * it prints goes to a file: a pipe would make this process read every line of
 * its log while it measures.
 *
 * @param env Nothing of our own environment goes along but PATH.
 */
export async function startServerProcess(
  file: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const logFile = join(folder, `log-${performance.now()}.jsonl`);
  const log = openSync(logFile, 'w');
  const started = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  try {
    const url = await untilReady(child, logFile);
    const secondsToReady = (performance.now() - started) / 1_000;
    return {
      url,
      pid: child.pid ?? 0,
      secondsToReady,
      stop: async () => {
        await end(child);
        process.removeListener('exit', killWithUs);
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function untilReady(child: ChildProcess, logFile: string): Promise<string> {
  const givesUpAt = performance.now() + readyTimeoutMs;
  while (performance.now() < givesUpAt && child.exitCode === null && child.signalCode === null) {
    const url = findUrl(readFileSync(logFile, 'utf8'));
    if (url !== undefined) return url;
    await wait(lookEveryMs);
  }
  throw new Error(`The server was not ready in ${readyTimeoutMs} ms:\n${readFileSync(logFile, 'utf8')}`);
}

function findUrl(log: string): string | undefined {
  const line = log.split('\n').find((text) => text.includes('"msg":"ready"') && text.endsWith('}'));
  if (line === undefined) return undefined;
  const parsed: { readonly url?: unknown } = JSON.parse(line);
  return typeof parsed.url === 'string' ? parsed.url : undefined;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(force);
}
