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
  /** Takes over a finished local file. Durable when it resolves; the local file is gone then. */
  put(key: string, path: string): Promise<void>;
  /** Opens stored bytes for reading; undefined when there are none under this key. */
  open(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes the bytes under a key, if there are any. */
  remove(key: string): Promise<void>;
  /** Resolves when the storage can be written to. */
  check(): Promise<void>;
}
