import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, version as nodeVersion } from 'node:process';
import { version } from '../platform/versions.ts';
import type { Isolation } from './isolation.ts';

/** The folder of compiled code that Node.js shares between processes; undefined without `NODE_COMPILE_CACHE`. */
export const sharedCompileCache = env['NODE_COMPILE_CACHE'] || undefined;

/**
 * The folder of compiled code for inspectors: the shared one, else one of the server's own. Isolated inspectors read it
 * and cannot write it: code planted there would run in the server, or in the inspectors of other agents. So there is
 * none of its own without isolation.
 */
export function openCompileCache(
  { kind }: Pick<Isolation, 'kind'>,
  ownFolder: string,
  shared: string | undefined,
): string | undefined {
  const folder = shared ?? (kind === 'none' ? undefined : ownFolder);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Lets `startOnce` fill the folder, unless a process of this version has done so before. */
export async function fillCompileCache(
  compileCache: string | undefined,
  startOnce: (folder: string) => Promise<void>,
): Promise<void> {
  if (compileCache === undefined) return;
  const marker = join(compileCache, `inspector-${version}-${nodeVersion}`);
  if (existsSync(marker)) return;
  const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
  try {
    await startOnce(folder);
    await writeFile(marker, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
