import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnknownVariables, type Settings } from '../../platform/settings/settings.ts';
import { type Check, fail, ok, warn } from './check.ts';

const mebibyte = 1024 * 1024;
const freeWarnBytes = 1024 * mebibyte;
const freeFailBytes = 100 * mebibyte;

/** The oldest Node.js that the server runs on, as its manifest says. */
const oldestNode = [22, 19] as const;

/** Looks at the Node.js that runs this. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isNew = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (isNew) return ok('node', `Node.js ${version}.`);
  return fail('node', `Node.js ${version} is too old.`, `Install Node.js 24, or at least ${oldestNode.join('.')}.`);
}

/** Looks for variables that are most likely misspelled settings. */
export function checkVariables(env: Readonly<Record<string, string | undefined>>): Check {
  const unknown = findUnknownVariables(env);
  if (unknown.length === 0) return ok('variables', 'Every PLATFORM_ variable is a known setting.');
  return warn(
    'variables',
    `Unknown settings:  ${unknown.join(', ')}.`,
    'Correct the names ("config" lists the settings) or remove the variables.',
  );
}

/** Looks at the data folder: its modes, its owner, and the room that is left. */
export function checkDataFolder(dataDir: string, uid: number | undefined): readonly Check[] {
  const path = resolve(dataDir);
  return [lookAt('data folder', path, uid, checkMissing), checkSpace(nearestExisting(path))];
}

/** Looks at the folder of the files, when it is one and lies outside of the data folder. */
export function checkStorage({ storageUrl, dataDir }: Settings, uid: number | undefined): readonly Check[] {
  if (storageUrl === undefined) {
    const path = join(resolve(dataDir), 'files');
    return [lookAt('storage', path, uid, () => ok('storage', `In the data folder (${path}).`))];
  }
  if (!storageUrl.startsWith('file:')) return [ok('storage', `${storageUrl}; not checked by this command.`)];
  const path = fileURLToPath(storageUrl);
  return [lookAt('storage', path, uid, checkMissing), checkSpace(nearestExisting(path), 'storage space')];
}

type Absent = (name: string, path: string) => Check;

function lookAt(name: string, path: string, uid: number | undefined, absent: Absent): Check {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? absent(name, path) : checkFound(name, path, found, uid);
  } catch (error) {
    // A folder above it is closed to this user.
    const reason = error instanceof Error ? error.message : String(error);
    return fail(name, `${path} cannot be inspected: ${reason}.`, 'Run this command as the owner of the folder.');
  }
}

function checkMissing(name: string, path: string): Check {
  const parent = nearestExisting(path);
  if (mayUse(parent)) return ok(name, `${path} does not exist yet; the server creates it.`);
  return fail(
    name,
    `${path} does not exist, and ${parent} is not writable.`,
    'Create the folder or choose another path.',
  );
}

function checkFound(name: string, path: string, found: Stats, uid: number | undefined): Check {
  if (!found.isDirectory()) return fail(name, `${path} is not a folder.`, 'Move it away or choose another path.');
  if (!mayUse(path)) {
    return fail(
      name,
      `${path} cannot be read and written by this user.`,
      `Make the server's user its owner, with mode 700.`,
    );
  }
  if (uid !== undefined && found.uid !== uid) {
    return warn(
      name,
      `${path} belongs to another user (owner ${found.uid}, current user ${uid}).`,
      'Run server and operator as the owner of the folder.',
    );
  }
  const mode = found.mode & 0o777;
  if ((mode & 0o077) === 0) return ok(name, `${path}, accessible to its owner only.`);
  return warn(name, `${path} is accessible to other users (mode ${mode.toString(8)}).`, `chmod 700 ${path}`);
}

function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkSpace(path: string, name = 'free space'): Check {
  const { bavail, bsize } = statfsSync(path);
  const bytes = bavail * bsize;
  const text = `${Math.floor(bytes / mebibyte)} MiB are free at ${path}.`;
  const cure = 'Free space, or move PLATFORM_DATA_DIR to a larger disk: a full disk stops all writes.';
  if (bytes < freeFailBytes) return fail(name, text, cure);
  return bytes < freeWarnBytes ? warn(name, text, cure) : ok(name, text);
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
