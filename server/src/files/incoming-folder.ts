import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/new-id.ts';

/** The paths of an arriving file and of its preview. */
export interface IncomingFile {
  readonly file: string;
  readonly preview: string;
  discard(): Promise<void>;
}

/** The folder for files that arrive and are inspected; created with the first upload. */
export class IncomingFolder {
  readonly #path: string;
  readonly #filesMax: number;
  #open = 0;

  constructor(path: string, filesMax: number) {
    this.#path = path;
    this.#filesMax = filesMax;
  }

  /** Paths for one upload; undefined while the most files are arriving. */
  async open(): Promise<IncomingFile | undefined> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    if (this.#open >= this.#filesMax) return undefined;
    this.#open += 1;
    const file = join(this.#path, newId());
    const preview = `${file}.jpg`;
    const discard = async () => {
      this.#open -= 1;
      await Promise.all([rm(file, { force: true }), rm(preview, { force: true })]);
    };
    return { file, preview, discard };
  }

  /** Removes the files of killed processes: those not modified since `before`. */
  async sweep(before: Date): Promise<void> {
    const names = await readdir(this.#path).catch(() => []);
    for (const name of names) {
      const file = join(this.#path, name);
      const found = await stat(file).catch(() => undefined);
      if (found !== undefined && found.mtime < before) await rm(file, { force: true });
    }
  }
}
