import { join, resolve } from 'node:path';
import { type Io, readEnv } from '../io/io.ts';
import { listFolder } from './files.ts';

export const profileNameRule = 'Use 1 to 64 characters of a-z, 0-9, "_" and "-", starting with a letter or a digit.';

/**
 * Profile names are used as file names. Without dots, they cannot leave the folder or collide with other files; in
 * lower case, they are the same on every system.
 */
export function isProfileName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}

/** Returns the folder for all files of `agentp`: `AGENTP_HOME`, or `agentp` in the system's configuration folder. */
export function findConfigFolder(io: Pick<Io, 'env' | 'homeFolder'>): string {
  const own = readEnv(io, 'AGENTP_HOME');
  if (own !== undefined) return resolve(own);
  return resolve(readEnv(io, 'XDG_CONFIG_HOME') ?? join(io.homeFolder, '.config'), 'agentp');
}

export async function listProfileNames(folder: string): Promise<readonly string[]> {
  const files = await listFolder(join(folder, 'profiles'));
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return names.filter(isProfileName);
}
