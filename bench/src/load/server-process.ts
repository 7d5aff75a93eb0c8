import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Run } from '../measure.ts';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Where it runs and keeps its data. */
  readonly folder: string;
  /** Empty with the embedded database. */
  readonly databaseUrl: string;
  /** From the spawn until it printed that it was ready. */
  readonly secondsToReady: number;
}

type Settings = Readonly<Record<string, string>>;

const referenceServer = fileURLToPath(import.meta.resolve('../../../server/src/main.ts'));
const readyTimeoutMs = 30_000;
const pollMs = 5;
const stopTimeoutMs = 12_000;

/** Far above what can be sent in the time; the limits count every request all the same. */
const unreached = '1000000000';

const settingsOfMeasures: Settings = {
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: unreached,
  PLATFORM_WRITES_PER_MINUTE: unreached,
  PLATFORM_MESSAGES_PER_MINUTE: unreached,
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: unreached,
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: unreached,
  PLATFORM_REGISTRATIONS_PER_HOUR: unreached,
  PLATFORM_EVENT_CONNECTIONS: '1000000',
};

/** Works with the reference server on a database of its own, and stops it afterwards. */
export async function withServer<T>(
  run: Run,
  work: (server: ServerProcess) => Promise<T>,
  settings: Settings = {},
): Promise<T> {
  const databaseUrl = settings['DATABASE_URL'] ?? (await run.freshDatabase());
  return await withProcess(
    run,
    referenceServer,
    { ...settingsOfMeasures, DATABASE_URL: databaseUrl, ...settings },
    work,
  );
}

/** Works with the reference server on the embedded database of a folder. */
export async function withEmbeddedServer<T>(
  run: Run,
  folder: string,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  return await withProcess(run, referenceServer, { ...settingsOfMeasures, PLATFORM_DATA_DIR: folder }, work);
}

/**
 * Works with a server that prints `{"msg":"ready","url":…}` when it listens. What it prints goes to a file: a pipe
 * would make this process read every line of its log while it measures.
 *
 * @param settings Nothing of our own environment is added but PATH.
 */
export async function withProcess<T>(
  run: Run,
  file: string,
  settings: Settings,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const folder = run.freshFolder();
  const logFile = join(folder, 'log.jsonl');
  const log = openSync(logFile, 'w');
  const started = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      PLATFORM_DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  try {
    const url = await untilReady(child, logFile);
    const secondsToReady = (performance.now() - started) / 1_000;
    const databaseUrl = settings['DATABASE_URL'] ?? '';
    return await work({ url, pid: child.pid ?? 0, folder, databaseUrl, secondsToReady });
  } finally {
    await end(child);
    process.removeListener('exit', killWithUs);
  }
}

async function untilReady(child: ChildProcess, logFile: string): Promise<string> {
  const givesUpAt = performance.now() + readyTimeoutMs;
  while (performance.now() < givesUpAt && child.exitCode === null && child.signalCode === null) {
    const url = findUrl(readFileSync(logFile, 'utf8'));
    if (url !== undefined) return url;
    await wait(pollMs);
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
