import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/new-id.ts';

/** Where files are while they arrive and are looked at. */
export interface IncomingFolder {
  /** A fresh path for one upload and the one of its preview. Both are removed by `discard`. */
  place(): Promise<IncomingPlace>;
  /** Removes what a killed process has left: everything that has not been written to since `before`. */
  sweep(before: Date): Promise<void>;
}

/** The two paths of one upload. */
export interface IncomingPlace {
  readonly file: string;
  readonly preview: string;
  discard(): Promise<void>;
}

/** Makes the incoming folder; it comes into being with the first upload. */
export function incomingFolder(path: string): IncomingFolder {
  return {
    place: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const file = join(path, newId());
      const preview = `${file}.jpg`;
      const discard = async () => {
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
