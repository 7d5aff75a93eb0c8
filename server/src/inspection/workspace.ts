import { mkdirSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/crypto.ts';
import type { InspectionRequest } from './verdict.ts';

/** The folder of one inspector, with the file that it reads. The inspector writes nothing. */
export class InspectorWorkspace {
  readonly path: string;
  readonly #file: string;

  /** Creates the folder inside the folder for incoming files, so that a file can be linked instead of copied. */
  constructor(parent: string) {
    this.path = join(parent, newId());
    this.#file = join(this.path, 'file');
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  /** Returns the request with the path of the file in this folder. */
  async lend(request: InspectionRequest): Promise<InspectionRequest> {
    // Some file systems do not support hard links.
    await link(request.file, this.#file).catch(() => copyFile(request.file, this.#file));
    return { ...request, file: this.#file };
  }

  /** Removes the file, so that the next one can use its path. */
  async takeBack(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  /** Call this only after the inspector has ended. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
