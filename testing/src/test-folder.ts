import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** The folder is removed after the test file. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  made.push(folder);
  return folder;
}

export function removeTestFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
