import { mkdirSync } from 'node:fs';
import { copyFile, link, lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/new-id.ts';
import { outputOf } from './isolation.ts';
import type { InspectionRequest } from './verdict.ts';

/** The folder of one inspector: the file that it reads, and a folder for the preview that it writes. */
export class Workspace {
  readonly path: string;
  /** The only folder in which the inspector may write. */
  readonly output: string;
  readonly #file: string;
  readonly #preview: string;

  /** Makes it in the folder of the incoming files, which `link` and `rename` require. */
  constructor(parent: string) {
    this.path = join(parent, newId());
    this.output = outputOf(this.path);
    this.#file = join(this.path, 'file');
    this.#preview = join(this.output, 'preview.jpg');
    mkdirSync(this.output, { recursive: true, mode: 0o700 });
  }

  /** Places the file in the folder, and names the paths there. */
  async lend(request: InspectionRequest): Promise<InspectionRequest> {
    // Some file systems have no hard links.
    await link(request.file, this.#file).catch(() => copyFile(request.file, this.#file));
    return { ...request, file: this.#file, preview: this.#preview };
  }

  /** Takes the preview out of reach of the inspector; false when there is no such file. */
  async takePreview(target: string): Promise<boolean> {
    try {
      await rename(this.#preview, target);
      // A link could lead to a file of the server.
      const found = await lstat(target);
      return found.isFile() && found.nlink === 1;
    } catch {
      return false;
    }
  }

  /** Removes the file, so that the next one finds its place. */
  async takeBack(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  /** Removes everything, after the inspector has ended. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
