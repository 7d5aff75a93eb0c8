import { statfsSync } from 'node:fs';
import type { Store } from '../store.ts';
import { StoreReadOnlyError, StoreUnavailableError } from '../unavailable.ts';

const mebibyte = 1024 * 1024;

/**
 * The space that must stay free for the embedded database: if its write-ahead log (segments of 16 MiB) runs out of
 * space, the database and the whole process halt permanently.
 */
export const reservedDiskBytes = 48 * mebibyte;

/** The size of a database without agents. */
const newDatabaseBytes = 40 * mebibyte;

/** PGlite writes a few small files when it opens a database. */
const openingBytes = mebibyte;

export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Fails if the disk has too little space to create a database or to open an existing one. */
export function requireSpaceToOpen(folder: string, isNew: boolean): void {
  const free = freeBytesAt(folder);
  const needed = reservedDiskBytes + newDatabaseBytes;
  if (isNew && free < needed) throw new StoreUnavailableError(describeFullDisk(free, needed));
  if (free < openingBytes) throw new StoreReadOnlyError(describeFullDisk(free, reservedDiskBytes));
}

function describeFullDisk(free: number, needed: number): string {
  return `The disk of the embedded database is full (${Math.floor(free / mebibyte)} MiB free, ${needed / mebibyte} required). Free space.`;
}

/** Wraps a store so that it refuses changes as unavailable while the disk is nearly full; reads continue. */
export function refuseWritesOnFullDisk(store: Store, freeBytes: () => number): Store {
  const refuseWhenFull = () => {
    const free = freeBytes();
    if (free >= reservedDiskBytes) return;
    throw new StoreReadOnlyError(describeFullDisk(free, reservedDiskBytes));
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
