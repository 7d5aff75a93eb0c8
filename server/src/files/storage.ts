import type { Readable } from 'node:stream';

/** Stores the bytes of files under keys of the server. Small on purpose: a folder or a bucket can implement it. */
export interface FileStorage {
  /** Makes a local file durable in its present place, which may run while the file is inspected. */
  prepare(path: string): Promise<void>;
  /** Moves a prepared local file into the storage; durable when it resolves. */
  put(key: string, path: string): Promise<void>;
  /** Opens stored bytes, whole or from `start` to `end`; undefined for an unknown key. */
  open(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  /** Removes the bytes of a key, if there are any. */
  remove(key: string): Promise<void>;
  /** Resolves when the storage is writable. */
  check(): Promise<void>;
}
