import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Reads the resident memory of a process from `ps`, which prints KiB on Linux and macOS. */
export function readResidentBytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  if (!(kibibytes > 0)) throw new Error(`There is no process ${pid}.`);
  return kibibytes * 1024;
}

// The clock tick of /proc/…/stat in milliseconds, on every Linux that Node.js supports.
const tickMs = 10;

/**
 * Reads the user and kernel time of processes and all their descendants, including ended ones. Returns NaN on systems
 * without /proc, because `ps` only prints whole seconds.
 */
export function readProcessorMs(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const wanted = new Set(pids);
  // Repeated until no process is added, because a child's id may be smaller than its parent's.
  for (let size = 0; size !== wanted.size; ) {
    size = wanted.size;
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid);
  }
  return all.reduce((sum, { pid, ms }) => sum + (wanted.has(pid) ? ms : 0), 0);
}

function readStat(pid: number) {
  try {
    // The second field is the program name, which may contain spaces; the other fields follow its closing bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // The user and system time of the process and of its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), ms: ticks * tickMs }];
  } catch {
    // The process ended after the folder was read.
    return [];
  }
}
