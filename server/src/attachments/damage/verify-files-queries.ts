import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FileStorage, OpenedFile } from '../../files/storage.ts';
import { isUnreadableFileError, StorageUnavailable } from '../../files/storage-failure.ts';
import { sha256 } from '../../platform/crypto.ts';
import { errorCodeOf } from '../../platform/error-facts.ts';
import type { ReferencedFile } from '../attachment.ts';

export interface StoredFileFault {
  readonly fault: 'missing' | 'damaged';
  readonly reason: string;
}

/** Thrown if the bytes of a stored file differ from its record. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
  readonly finding: StoredFileFault;

  constructor({ key }: ReferencedFile, finding: StoredFileFault) {
    super(`The stored file ${key} ${finding.reason}.`);
    this.finding = finding;
  }
}

/** Called with the fault that a read of the file found; undefined means that the file is intact. */
export type OnFileVerified = (file: ReferencedFile, finding: StoredFileFault | undefined) => Promise<void>;

/** A file up to this size is read before its response starts, so a fault causes an error, not a truncated response. */
const smallMaxBytes = 256 * 1024;

/** How many file versions to remember; each takes about 200 bytes. */
const rememberedMax = 10_000;

/**
 * Opens stored files so that no damaged file is delivered completely. The last bytes of a whole file are withheld
 * until its SHA-256 matches. Ranges are only served from a version of the file that was verified completely.
 */
export class VerifiedFileReader {
  readonly #storage: FileStorage;
  readonly #note: OnFileVerified;
  /** For each key, the last version that was read completely; the least recently read comes first. */
  readonly #read = new Map<string, { readonly version: string; readonly finding: StoredFileFault | undefined }>();
  readonly #reading = new Map<string, Promise<string>>();

  constructor(storage: FileStorage, note: OnFileVerified) {
    this.#storage = storage;
    this.#note = note;
  }

  /** Opens an entire file. The stream fails before its end if the bytes do not match the record. */
  async openWhole(file: ReferencedFile): Promise<Readable> {
    const { stream, version } = await this.#open(file);
    if (file.bytes <= smallMaxBytes) {
      const bytes = await buffer(stream);
      await this.#conclude(file, version, sha256(bytes));
      return Readable.from([bytes]);
    }
    const hash = createHash('sha256');
    let withheld: Buffer | undefined;
    let left = file.bytes;
    const verified = new Transform({
      transform: (chunk: Buffer, _, done) => {
        hash.update(chunk);
        left -= chunk.length;
        // Fails if the file grew while it was read, because the withheld bytes are then not its last ones.
        if (left < 0)
          return done(new StorageUnavailable(`The stored file ${file.key} changed while it was being read.`));
        const before = withheld;
        withheld = chunk;
        done(null, before);
      },
      flush: (done) => {
        this.#conclude(file, version, hash.digest('hex')).then(() => done(null, withheld), done);
      },
    });
    pipeline(stream, verified, ignore);
    return verified;
  }

  /** Opens an entire file for a response without a body: checks its size and known faults, but does not read it. */
  async openHead(file: ReferencedFile): Promise<Readable> {
    return (await this.#open(file)).stream;
  }

  /** Opens a range of a file. The first range of a version waits for a verification of the whole file. */
  async openPart(file: ReferencedFile, range: { readonly start: number; readonly end: number }): Promise<Readable> {
    let verified = this.#read.get(file.key)?.version;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { stream, version } = await this.#open(file, range);
      if (version === verified) return stream;
      stream.destroy();
      verified = await this.#readOnce(file);
    }
    throw new StorageUnavailable(`The stored file ${file.key} changed while it was being read.`);
  }

  async #open(file: ReferencedFile, range?: { readonly start: number; readonly end: number }): Promise<OpenedFile> {
    const opened = await this.#storage.open(file.key, range);
    const read = this.#read.get(file.key);
    const isKnown = opened !== undefined && read?.version === opened.version;
    const finding = isKnown ? read.finding : findWrongSize(file, opened);
    if (opened !== undefined && finding === undefined) return opened;
    opened?.stream.destroy();
    if (!isKnown) await this.#note(file, finding);
    throw new DamagedFileError(file, finding ?? missing);
  }

  async #readOnce(file: ReferencedFile): Promise<string> {
    const reading = this.#reading.get(file.key) ?? this.#readWhole(file).finally(() => this.#reading.delete(file.key));
    this.#reading.set(file.key, reading);
    return await reading;
  }

  async #readWhole(file: ReferencedFile): Promise<string> {
    const { stream, version } = await this.#open(file);
    await this.#conclude(file, version, await digest(stream));
    return version;
  }

  async #conclude(file: ReferencedFile, version: string, found: string): Promise<void> {
    const finding = findWrongHash(file, found);
    this.#read.delete(file.key);
    this.#read.set(file.key, { version, finding });
    const [oldest] = this.#read.keys();
    if (this.#read.size > rememberedMax && oldest !== undefined) this.#read.delete(oldest);
    await this.#note(file, finding);
    if (finding !== undefined) throw new DamagedFileError(file, finding);
  }
}

const missing: StoredFileFault = { fault: 'missing', reason: 'is missing' };

/** Reads an entire stored file and returns its fault. Rejects if the storage fails. */
export async function findStoredFileFault(
  storage: FileStorage,
  file: ReferencedFile,
): Promise<StoredFileFault | undefined> {
  try {
    const opened = await storage.open(file.key);
    const finding = findWrongSize(file, opened);
    if (opened !== undefined && finding === undefined) return findWrongHash(file, await digest(opened.stream));
    opened?.stream.destroy();
    return finding;
  } catch (error) {
    if (!isUnreadableFileError(error)) throw error;
    // Rejects if the storage fails; otherwise only this file is unreadable.
    await storage.check();
    return { fault: 'damaged', reason: `cannot be read (${errorCodeOf(error)})` };
  }
}

function findWrongSize({ bytes }: ReferencedFile, opened: OpenedFile | undefined): StoredFileFault | undefined {
  if (opened === undefined) return missing;
  if (opened.bytes === bytes) return undefined;
  return { fault: 'damaged', reason: `has ${opened.bytes} bytes instead of ${bytes}` };
}

function findWrongHash({ sha256 }: ReferencedFile, found: string): StoredFileFault | undefined {
  if (found === sha256) return undefined;
  return { fault: 'damaged', reason: `has the SHA-256 ${found} instead of ${sha256}` };
}

async function digest(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

function ignore(): void {}
