import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/crypto.ts';

export interface IncomingFile {
  readonly file: string;
  readonly preview: string;
  discard(): Promise<void>;
}

/** The state of a file at the last sweep: its modification time, and since when that has been unchanged. */
interface Seen {
  readonly mtimeMs: number;
  readonly sinceMs: number;
}

/** The folder for files that are being received and inspected; created with the first upload. */
export class IncomingFolder {
  readonly #path: string;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<IncomingFile> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const file = join(this.#path, newId());
    const preview = `${file}.jpg`;
    const discard = async () => {
      await Promise.all([rm(file, { force: true }), rm(preview, { force: true })]);
    };
    return { file, preview, discard };
  }

  /**
   * Removes the files and inspector folders that did not change while this process observed them for `unchangedMs`,
   * because their processes were killed. Rejects at the end if some could not be removed.
   */
  async sweep(unchangedMs: number): Promise<void> {
    const names = await readdir(this.#path).catch(() => []);
    const failures: unknown[] = [];
    const seen = new Map<string, Seen>();
    for (const name of names) {
      const file = join(this.#path, name);
      const found = await lstat(file).catch(() => undefined);
      if (found === undefined) continue;
      const { mtimeMs } = found;
      const earlier = this.#seen.get(name);
      const sinceMs = earlier?.mtimeMs === mtimeMs ? earlier.sinceMs : performance.now();
      seen.set(name, { mtimeMs, sinceMs });
      if (performance.now() - sinceMs < unchangedMs) continue;
      await rm(file, { recursive: true, force: true }).catch((error: unknown) => failures.push(error));
    }
    this.#seen = seen;
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
  }
}
