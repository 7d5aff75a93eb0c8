import type { Readable } from 'node:stream';

export interface OpenedFile {
  /** The bytes of the file or of the requested range. */
  readonly stream: Readable;
  /** The size of the whole file. */
  readonly bytes: number;
  /** The version of the file; a new one after every change that the storage can detect. */
  readonly version: string;
}

/** The server chooses the keys. The interface is small, because both folders and buckets implement it. */
export interface FileStorage {
  /** A bucket may be shared with other installations; a folder in the data folder is not. */
  readonly kind: 'folder' | 'bucket';
  /** The location, for messages to the operator. */
  readonly place: string;
  /** Makes a local file durable without moving it, possibly during its inspection. */
  prepare(path: string): Promise<void>;
  /** Moves a prepared local file into the storage durably. */
  put(key: string, path: string): Promise<void>;
  /** Opens stored bytes, whole or from `start` to `end`; undefined for an unknown key. */
  open(key: string, range?: { readonly start: number; readonly end: number }): Promise<OpenedFile | undefined>;
  /** Removes the bytes of a key, if there are any. */
  remove(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** All keys with stored bytes, in any order. */
  list(): AsyncIterable<string>;
  /** The id of this storage; undefined if it has none. */
  readId(): Promise<string | undefined>;
  /** Durably stores the id of this storage. */
  writeId(id: string): Promise<void>;
  /** Resolves if a test file could be written and removed. */
  probe(): Promise<void>;
  /** Resolves if the storage is writable; rejects on a full disk, for example. Cheap enough for readiness checks. */
  check(): Promise<void>;
  /** Aborts the running calls; called when their work can be repeated later. */
  close(): void;
}

/** The pattern of the names of stored files; a storage ignores all other names. */
export const storageKeyPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(original|preview)$/;
