import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from '../platform/logger.ts';

/** Warns of a data folder that other users of the machine can enter. What the server makes inside is closed to them. */
export function warnOfOpenFolder(dataDir: string, log: Logger): void {
  const folder = resolve(dataDir);
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) === 0 || process.getuid === undefined) return;
  log.warn({ mode: mode.toString(8), hint: `chmod 700 ${folder}` }, 'other users can enter the data folder');
}
