import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Third-party files; `README.md` lists their sources. */
function realFilePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

export function readRealFile(name: string): Buffer {
  return readFileSync(realFilePath(name));
}
