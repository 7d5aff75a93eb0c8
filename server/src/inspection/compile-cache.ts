import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, version as nodeVersion } from 'node:process';
import { version } from '../platform/versions/server-version.ts';

/** The folder of compiled code that Node.js shares between processes; undefined without `NODE_COMPILE_CACHE`. */
export const compileCache = env['NODE_COMPILE_CACHE'] || undefined;

// Isolated inspectors read this folder and cannot write it: code planted there would run in the server.
if (compileCache !== undefined) mkdirSync(compileCache, { recursive: true });

/** Lets `startOnce` fill the folder, unless a process of this version has done so before. */
export async function fillCompileCache(startOnce: (folder: string) => Promise<void>): Promise<void> {
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
