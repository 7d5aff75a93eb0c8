import { join, resolve } from 'node:path';

/**
 * The folder where Node.js stores this program's compiled code. It is below the home folder: the default of Node.js is
 * below the folder for temporary files, where another user of the machine could plant code.
 */
export function findCompileCacheFolder(env: Readonly<Record<string, string | undefined>>, homeFolder: string): string {
  return resolve(env['XDG_CACHE_HOME'] || join(homeFolder, '.cache'), 'agentp');
}
