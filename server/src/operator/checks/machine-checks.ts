import { accessSync, constants, existsSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessageOf } from '../../platform/error-facts.ts';
import { findUnknownVariables, type Settings } from '../../platform/settings/settings.ts';
import { isSupportedNodeVersion, minimumNodeVersion } from '../../platform/versions.ts';
import { freeBytesAt } from '../../store/embedded/free-space.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';

const mebibyte = 1024 * 1024;
const freeWarnBytes = 1024 * mebibyte;
const freeFailBytes = 100 * mebibyte;

export function checkNode(version: string): DoctorCheck {
  if (isSupportedNodeVersion(version)) return makePassedCheck('node', `Node.js ${version}.`);
  return makeFailedCheck(
    'node',
    `Node.js ${version} is too old.`,
    `Install Node.js 24, or at least ${minimumNodeVersion.join('.')}.`,
  );
}

/** Checks a server that is process 1, as in a container without an init. */
export function checkZombies(zombies: number): DoctorCheck {
  const [name, first] = ['process 1', 'This server is process 1'];
  if (zombies === 0) return makePassedCheck(name, `${first}; its container has no zombie processes.`);
  const text = `${first} and does not reap orphans: ${zombies} zombie processes are left in its container.`;
  const hint =
    'Start the container with an init: --init (Docker, Podman), init: true (Compose), shareProcessNamespace: true (Kubernetes).';
  return makeWarningCheck(name, text, hint);
}

export function countZombies(pid: number): number {
  const isProcess = (name: string) => /^\d+$/.test(name);
  const ofPid = new RegExp(`\\) Z ${pid} `);
  return readdirSync('/proc').filter((name) => isProcess(name) && ofPid.test(readStat(name))).length;
}

// The process may have ended in the meantime.
function readStat(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, 'latin1');
  } catch {
    return '';
  }
}

export function checkVariables(env: Readonly<Record<string, string | undefined>>): DoctorCheck {
  const unknown = findUnknownVariables(env);
  if (unknown.length === 0) return makePassedCheck('variables', 'Every PLATFORM_ variable is a known setting.');
  const hint = 'Correct the names ("config" lists the settings) or remove the variables.';
  const names = unknown.map(({ variable, nearest }) =>
    nearest === undefined ? variable : `${variable} (did you mean ${nearest}?)`,
  );
  return makeWarningCheck('variables', `Unknown settings: ${names.join(', ')}.`, hint);
}

export function checkDataFolder(dataDir: string, uid: number | undefined): readonly DoctorCheck[] {
  const path = resolve(dataDir);
  return [checkFolder('data folder', path, uid), checkSpace('free space', path)];
}

export function checkStorage({ storageUrl, dataDir }: Settings, uid: number | undefined): readonly DoctorCheck[] {
  if (storageUrl === undefined) {
    const path = join(resolve(dataDir), 'files');
    return [checkFolder('storage', path, uid, () => makePassedCheck('storage', `In the data folder (${path}).`))];
  }
  // A bucket has no local folder to check.
  if (!storageUrl.startsWith('file:')) return [];
  const path = fileURLToPath(storageUrl);
  return [checkFolder('storage', path, uid), checkSpace('storage space', path)];
}

function checkFolder(name: string, path: string, uid: number | undefined, absent = checkAbsentFolder): DoctorCheck {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? absent(name, path) : checkFound(name, path, found, uid);
  } catch (error) {
    // This user cannot access a parent folder.
    const text = `${path} cannot be inspected: ${errorMessageOf(error)}.`;
    return makeFailedCheck(name, text, 'Run this command as the owner of the folder.');
  }
}

function checkAbsentFolder(name: string, path: string): DoctorCheck {
  const parent = nearestExisting(path);
  if (mayUse(parent)) return makePassedCheck(name, `${path} does not exist yet; the server creates it.`);
  const text = `${path} does not exist, and ${parent} is not writable.`;
  return makeFailedCheck(name, text, 'Create the folder or choose another path.');
}

function checkFound(name: string, path: string, found: Stats, uid: number | undefined): DoctorCheck {
  if (!found.isDirectory())
    return makeFailedCheck(name, `${path} is not a folder.`, 'Move this file or choose another path.');
  if (!mayUse(path)) {
    const text = `${path} cannot be read and written by this user.`;
    return makeFailedCheck(name, text, `Make the server's user its owner, with mode 700.`);
  }
  if (uid !== undefined && found.uid !== uid) {
    const text = `${path} belongs to another user (owner ${found.uid}, current user ${uid}).`;
    return makeWarningCheck(name, text, 'Run server and operator as the owner of the folder.');
  }
  const mode = found.mode & 0o777;
  if ((mode & 0o077) === 0) return makePassedCheck(name, `${path}, accessible to its owner only.`);
  return makeWarningCheck(
    name,
    `${path} is accessible to other users (mode ${mode.toString(8)}).`,
    `chmod 700 ${path}`,
  );
}

function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkSpace(name: string, folder: string): DoctorCheck {
  const path = nearestExisting(folder);
  const bytes = freeBytesAt(path);
  const text = `${Math.floor(bytes / mebibyte)} MiB are free at ${path}.`;
  const hint = 'Free space, or move PLATFORM_DATA_DIR to a larger disk: a full disk stops all writes.';
  if (bytes < freeFailBytes) return makeFailedCheck(name, text, hint);
  return bytes < freeWarnBytes ? makeWarningCheck(name, text, hint) : makePassedCheck(name, text);
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
