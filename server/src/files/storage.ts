import type { Readable } from 'node:stream';

/** A part of a stored file, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the bytes of files are kept, by keys that the server chooses. Small on
 * purpose: a folder fits behind it, and so does a bucket.
 */
export interface FileStorage {
  /** Makes a local file durable where it is, which may go on while it is looked at. */
  prepare(path: string): Promise<void>;
  /** Takes over a local file that is prepared. Durable when it resolves; the local file is gone then. */
  put(key: string, path: string): Promise<void>;
  /** Opens stored bytes for reading; undefined when there are none under this key. */
  open(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes the bytes under a key, if there are any. */
  remove(key: string): Promise<void>;
  /** Resolves when the storage can be written to. */
  check(): Promise<void>;
}
