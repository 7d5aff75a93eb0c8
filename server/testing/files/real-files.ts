import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of a third-party file; `README.md` lists the sources. */
function realFilePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The bytes of a third-party file. */
export function readRealFile(name: string): Buffer {
  return readFileSync(realFilePath(name));
}
