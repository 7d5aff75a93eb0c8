import { mkdirSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/crypto.ts';
import type { InspectionRequest } from './verdict.ts';

/** The folder of one inspector, with the file that it reads. It writes nothing. */
export class Workspace {
  readonly path: string;
  readonly #file: string;

  /** Makes it in the folder of the incoming files, so that a file is linked and not copied. */
  constructor(parent: string) {
    this.path = join(parent, newId());
    this.#file = join(this.path, 'file');
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  /** Places the file in the folder, and names its path there. */
  async lend(request: InspectionRequest): Promise<InspectionRequest> {
    // Some file systems have no hard links.
    await link(request.file, this.#file).catch(() => copyFile(request.file, this.#file));
    return { ...request, file: this.#file };
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
