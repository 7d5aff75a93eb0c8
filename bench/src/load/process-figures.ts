import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The resident memory of a process. `ps` prints it in KiB on both Linux and macOS. */
export function readResidentBytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  if (!(kibibytes > 0)) throw new Error(`There is no process ${pid}.`);
  return kibibytes * 1024;
}

// The length of a tick in /proc/…/stat, on every Linux that Node.js supports.
const tickMs = 10;

/**
 * The processor time of processes and all their descendants, including those that ended, and the kernel's share of
 * it. NaN on systems without /proc, because `ps` prints whole seconds only.
 */
export function readProcessorMs(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const wanted = new Set(pids);
  // A child's id is not always larger than its parent's.
  for (let size = 0; size !== wanted.size; ) {
    size = wanted.size;
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid);
  }
  return all.reduce((sum, { pid, ms }) => sum + (wanted.has(pid) ? ms : 0), 0);
}

function readStat(pid: number) {
  try {
    // The program's name comes second and may contain anything; the remaining fields follow its closing bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // User and system time of the process, and the same for its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), ms: ticks * tickMs }];
  } catch {
    // The process has ended since the folder was read.
    return [];
  }
}
