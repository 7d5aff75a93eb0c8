import { statfsSync } from 'node:fs';
import type { Store } from '../store.ts';
import { StoreReadOnlyError } from '../unavailable.ts';

/**
 * The space that must stay free for the embedded database: if its write-ahead log (segments of 16 MiB) runs out of
 * space, the database and the whole process halt permanently.
 */
export const reservedDiskBytes = 48 * 1024 * 1024;

export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Wraps a store so that it refuses changes as unavailable while the disk is nearly full; reads continue. */
export function refuseWritesOnFullDisk(store: Store, freeBytes: () => number): Store {
  const refuseWhenFull = () => {
    const free = freeBytes();
    if (free >= reservedDiskBytes) return;
    throw new StoreReadOnlyError(
      `The disk of the embedded database is full (${Math.floor(free / 1024 / 1024)} MiB free, ${reservedDiskBytes / 1024 / 1024} required). Free space.`,
    );
  };
  return {
    ...store,
    run: async (prepared, values) => {
      if (prepared.changesRows) refuseWhenFull();
      return await store.run(prepared, values);
    },
    ask: async (statement, values) => {
      if (statement.alone.changesRows) refuseWhenFull();
      return await store.ask(statement, values);
    },
    transact: async (work) => {
      refuseWhenFull();
      return await store.transact(work);
    },
    ping: async (timeoutMs) => {
      refuseWhenFull();
      await store.ping(timeoutMs);
    },
    migrate: async (report) => {
      refuseWhenFull();
      return await store.migrate(report);
    },
  };
}
