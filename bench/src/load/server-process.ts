import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment, quickStartFlags } from '@agent-platform/testing';
import type { BenchRun } from '../run.ts';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export type ServerProcess = Awaited<ReturnType<typeof startServerProgram>>;

type Settings = Readonly<Record<string, string>>;

const referenceServer = fileURLToPath(import.meta.resolve('../../../server/src/bin.ts'));
const readyTimeoutMs = 30_000;
const pollMs = 5;
const stopTimeoutMs = 12_000;

/** A limit that no run reaches, so the server counts every request but refuses none. */
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

/** Creates a new database unless the settings contain one. */
export async function startServer(run: BenchRun, settings: Settings = {}): Promise<ServerProcess> {
  const isGiven = 'DATABASE_URL' in settings || 'PLATFORM_DATA_DIR' in settings;
  const database = isGiven ? {} : { DATABASE_URL: await run.freshDatabase() };
  return await startServerProgram(run, referenceServer, { ...settingsOfMeasures, ...database, ...settings });
}

/**
 * Starts a server that prints a JSON line with `"msg":"ready"` and its `"url"` once it listens. Its output is written
 * to a file: with a pipe, this process would have to read every log line during the measurement.
 *
 * @param settings all environment variables except PATH and, in a quick run, the compile cache
 */
export async function startServerProgram(run: BenchRun, file: string, settings: Settings) {
  const folder = run.freshFolder();
  const logFile = join(folder, 'log.jsonl');
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, [...(run.quick ? quickStartFlags : []), file], {
    cwd: folder,
    env: {
      ...(run.quick ? inheritedEnvironment() : { PATH: process.env['PATH'] }),
      HOST: '127.0.0.1',
      PORT: '0',
      PLATFORM_DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const stop = async () => {
    if (!isRunning(child)) return;
    const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    child.kill('SIGTERM');
    await once(child, 'exit');
    clearTimeout(force);
  };
  run.stopAfterMeasure(stop);
  const url = await untilReady(child, logFile);
  // Empty with the embedded database.
  const databaseUrl = settings['DATABASE_URL'] ?? '';
  return { url, pid: child.pid ?? 0, folder, databaseUrl, stop };
}

async function untilReady(child: ChildProcess, logFile: string): Promise<string> {
  const givesUpAt = performance.now() + readyTimeoutMs;
  while (performance.now() < givesUpAt && isRunning(child)) {
    const url = /^(?=.*"msg":"ready").*"url":"([^"]+)".*\}$/m.exec(readFileSync(logFile, 'utf8'))?.[1];
    if (url !== undefined) return url;
    await wait(pollMs);
  }
  throw new Error(`The server was not ready in ${readyTimeoutMs} ms:\n${readFileSync(logFile, 'utf8')}`);
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
