import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/new-id.ts';

/** Where files are while they arrive and are looked at. */
export interface IncomingFolder {
  /**
   * A fresh path for one upload and the one of its preview; both are removed by
   * `discard`. Undefined while as many as may arrive are arriving.
   */
  place(): Promise<IncomingPlace | undefined>;
  /** Removes what a killed process has left: everything that has not been written to since `before`. */
  sweep(before: Date): Promise<void>;
}

/** The two paths of one upload. */
export interface IncomingPlace {
  readonly file: string;
  readonly preview: string;
  discard(): Promise<void>;
}

/** Makes the incoming folder for so many files at a time; it comes into being with the first upload. */
export function incomingFolder(path: string, placesMax: number): IncomingFolder {
  let taken = 0;
  return {
    place: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      if (taken >= placesMax) return undefined;
      taken += 1;
      const file = join(path, newId());
      const preview = `${file}.jpg`;
      const discard = async () => {
        taken -= 1;
        await Promise.all([rm(file, { force: true }), rm(preview, { force: true })]);
      };
      return { file, preview, discard };
    },
    sweep: async (before) => {
      const names = await readdir(path).catch(() => []);
      for (const name of names) {
        const file = join(path, name);
        const written = await stat(file).catch(() => undefined);
        if (written !== undefined && written.mtime < before) await rm(file, { force: true });
      }
    },
  };
}
