// Prevents concurrent set-ups of a checkout. Plain JavaScript for Node.js 18.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

// A holder updates the time of its lock every second. Other commands check this time only if they cannot query the
// holder's processes, because those run on another machine or in a container that shares the folder.
const refreshMs = 1_000;
const silentTooLongMs = 60_000;
const waitAtMostMs = 15 * 60_000;

/**
 * @typedef {object} Holder
 * @property {string} host
 * @property {number[]} processes The launcher and the child that works for it.
 */

/**
 * @typedef {object} Lock
 * @property {(child: number) => void} include Adds a child that must also end before another command may begin.
 * @property {() => void} release
 */

/**
 * Waits until no other command holds the folder's lock, and acquires it.
 *
 * Each holder adds a folder with the next number, and the one with the highest number has the lock. A waiting command
 * never removes a killed holder but uses the next number, so two that find it at the same time cannot both succeed.
 *
 * @param {string} folder
 * @param {(holder: Holder) => void} onWait Called once if there is another holder to wait for.
 * @returns {Promise<Lock>}
 */
export async function acquireLock(folder, onWait) {
  mkdirSync(folder, { recursive: true });
  const started = Date.now();
  for (let waited = false; ; ) {
    const number = highest(folder);
    const holder = findHolder(join(folder, String(number)));
    if (holder === undefined) {
      const lock = tryTake(folder, number + 1);
      if (lock !== undefined) return lock;
      continue;
    }
    if (!waited) onWait(holder);
    waited = true;
    if (Date.now() - started > waitAtMostMs) {
      throw new Error(`Another command has been setting up this folder for too long. End it, or remove ${folder}.`);
    }
    await wait(150);
  }
}

/** @param {string} folder */
function highest(folder) {
  return Math.max(0, ...readdirSync(folder).map(Number).filter(Number.isSafeInteger));
}

/**
 * @param {string} place
 * @returns {Holder | undefined}
 */
function findHolder(place) {
  try {
    /** @type {Holder} */
    const holder = JSON.parse(readFileSync(join(place, 'holder.json'), 'utf8'));
    if (holder.host === hostname()) return holder.processes.some(isRunning) ? holder : undefined;
    return Date.now() - statSync(place).mtimeMs < silentTooLongMs ? holder : undefined;
  } catch {
    // The lock was released or never existed.
    return undefined;
  }
}

/** @param {number} id */
function isRunning(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * @param {string} folder
 * @param {number} number
 * @returns {Lock | undefined}
 */
function tryTake(folder, number) {
  const draft = join(folder, `draft-${randomBytes(6).toString('hex')}`);
  const place = join(folder, String(number));
  /** @type {Holder} */
  const holder = { host: hostname(), processes: [process.pid] };
  mkdirSync(draft);
  writeHolder(draft, holder);
  try {
    // Renaming onto a non-empty folder fails, so only one process can succeed. The folder identifies this process from
    // the beginning.
    renameSync(draft, place);
  } catch {
    rmSync(draft, { recursive: true, force: true });
    return undefined;
  }
  if (highest(folder) !== number) {
    // Another process has a higher number, so this number is outdated.
    rmSync(join(place, 'holder.json'), { force: true });
    return undefined;
  }
  clearOlder(folder, number);
  const refresh = setInterval(() => refreshTime(place), refreshMs);
  refresh.unref();
  return {
    include(child) {
      writeHolder(place, { ...holder, processes: [process.pid, child] });
    },
    release() {
      clearInterval(refresh);
      // The folder stays, marked as released, because its number must never be used again.
      writeFileSync(join(place, 'released'), '');
      rmSync(join(place, 'holder.json'), { force: true });
    },
  };
}

/** @param {string} place */
function refreshTime(place) {
  try {
    utimesSync(place, new Date(), new Date());
  } catch {
    // A process that was stopped for a minute has lost the lock. Its later work is harmless, because it reinstalls the
    // same packages.
  }
}

/**
 * @param {string} place
 * @param {Holder} holder
 */
function writeHolder(place, holder) {
  writeFileSync(join(place, 'holder.next'), JSON.stringify(holder));
  renameSync(join(place, 'holder.next'), join(place, 'holder.json'));
}

/**
 * @param {string} folder
 * @param {number} number
 */
function clearOlder(folder, number) {
  for (const name of readdirSync(folder)) {
    const isOlder = Number(name) < number;
    if (isOlder) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
