import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of a file that nobody here made; `README.md` says where it is from. */
function realFilePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Its bytes. */
export function realFile(name: string): Buffer {
  return readFileSync(realFilePath(name));
}
