import type { Readable } from 'node:stream';

/** A stored file, opened for reading. */
export interface OpenedFile {
  /** Its bytes, or those of the requested part. */
  readonly stream: Readable;
  /** The size of the whole file. */
  readonly bytes: number;
  /** Another one after every change of the file that the storage notices. */
  readonly version: string;
}

/** Stores the bytes of files under keys of the server. Small on purpose: a folder and a bucket implement it. */
export interface FileStorage {
  /** A bucket may be in use elsewhere; a folder in the data folder is not. */
  readonly kind: 'folder' | 'bucket';
  /** Where it is, for messages to the operator. */
  readonly place: string;
  /** Makes a local file durable in its present place, which may run while the file is inspected. */
  prepare(path: string): Promise<void>;
  /** Moves a prepared local file into the storage; durable when it resolves. */
  put(key: string, path: string): Promise<void>;
  /** Opens stored bytes, whole or from `start` to `end`; undefined for an unknown key. */
  open(key: string, range?: { readonly start: number; readonly end: number }): Promise<OpenedFile | undefined>;
  /** Removes the bytes of a key, if there are any. */
  remove(key: string): Promise<void>;
  /** Whether there are bytes of a key. */
  has(key: string): Promise<boolean>;
  /** Every key that has bytes, in any order. */
  list(): AsyncIterable<string>;
  /** The id of this storage; undefined if none was written. */
  readId(): Promise<string | undefined>;
  /** Gives it an id; durable when it resolves. */
  writeId(id: string): Promise<void>;
  /** Resolves when the storage can be written: something was written and removed. */
  probe(): Promise<void>;
  /** Resolves if writing is possible, and rejects for example on a full disk; cheap enough for every check of the readiness. */
  check(): Promise<void>;
  /** Aborts the running calls, when the remaining work can be done later. */
  close(): void;
}

/** The pattern of the names under which a storage keeps files; it ignores all other names. */
export const keyForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(original|preview)$/;
