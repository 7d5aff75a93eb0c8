import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
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

  constructor(path: string) {
    this.#path = path;
  }

  /** Paths for one upload. */
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
   * Removes the files and the inspectors' folders of killed processes: those not
   * modified since `before`. Rejects at the end when some could not be removed.
   */
  async sweep(before: Date): Promise<void> {
    const names = await readdir(this.#path).catch(() => []);
    const failures: unknown[] = [];
    for (const name of names) {
      const file = join(this.#path, name);
      const found = await lstat(file).catch(() => undefined);
      if (found === undefined || found.mtime >= before) continue;
      await rm(file, { recursive: true, force: true }).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} could not be removed`);
  }
}
