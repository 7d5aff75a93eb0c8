import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { codeOf } from '../../platform/error-facts.ts';

/** The files that are in a target and were read back from there, so that the next run need not do it again. */
export interface CopyLog {
  has(key: string): boolean;
  add(key: string): Promise<void>;
}

/** Opens the log of the target with this id; the log of another target is replaced. */
export async function openCopyLog(path: string, id: string): Promise<CopyLog> {
  const [first, ...keys] = (await readIfPresent(path)).split('\n');
  const isSame = first === id;
  if (!isSame) await writeFile(path, `${id}\n`, { mode: 0o600 });
  // A line that a kill has cut is no key.
  else await appendFile(path, '\n');
  const known = new Set(isSame ? keys : []);
  return {
    has: (key) => known.has(key),
    add: async (key) => {
      known.add(key);
      await appendFile(path, `${key}\n`);
    },
  };
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
