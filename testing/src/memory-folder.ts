import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableMemory, platform } from 'node:process';

const memory = '/dev/shm';
const prefix = 'agent-platform-tests-';
const neededBytes = 8 * 2 ** 30;

/**
 * Keeps temporary files in memory if it is large enough. Returns a function that removes the files. A test run copies
 * its empty database hundreds of times, which takes three times as long on a disk.
 */
export function useMemoryFolder(): () => void {
  if (!isUsable()) return () => undefined;
  removeLeftovers();
  const folder = mkdtempSync(`${memory}/${prefix}${process.pid}-`);
  // PostgreSQL runs as another user, who needs access to its data.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function isUsable(): boolean {
  if (platform !== 'linux') return false;
  const options = /^tmpfs \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',');
  if (options === undefined || options.includes('noexec') || options.includes('ro')) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > neededBytes && availableMemory() > 2 * neededBytes;
}

/** Test runs that were killed leave their files behind. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    rmSync(`${memory}/${name}`, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but is owned by another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
