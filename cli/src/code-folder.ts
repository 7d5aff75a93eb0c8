import { join, resolve } from 'node:path';

/**
 * The folder where Node.js keeps the compiled code of this program. Below the home folder: the default of Node.js lies in
 * the folder for temporary files, where another user of the machine could put code in its place.
 */
export function findCodeFolder(env: Readonly<Record<string, string | undefined>>, homeFolder: string): string {
  return resolve(env['XDG_CACHE_HOME'] || join(homeFolder, '.cache'), 'agentp');
}
