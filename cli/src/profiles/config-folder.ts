import { join, resolve } from 'node:path';
import { type Io, readEnv } from '../io/io.ts';

/** The folder with everything that `agentp` keeps: `AGENTP_HOME`, or `agentp` where the system keeps settings. */
export function findConfigFolder(io: Pick<Io, 'env' | 'homeFolder'>): string {
  const own = readEnv(io, 'AGENTP_HOME');
  if (own !== undefined) return resolve(own);
  return resolve(readEnv(io, 'XDG_CONFIG_HOME') ?? join(io.homeFolder, '.config'), 'agentp');
}
