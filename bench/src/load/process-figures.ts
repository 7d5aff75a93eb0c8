import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The memory of a process that is in RAM now. `ps` tells it in KiB on Linux and macOS alike. */
export function readResidentBytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  if (!(kibibytes > 0)) throw new Error(`There is no process ${pid}.`);
  return kibibytes * 1024;
}

// The length of a tick in /proc/…/stat, on every Linux that Node.js supports.
const tickMs = 10;

/**
 * The processor time that processes with all their descendants have used, ended ones
 * included, and the share of the kernel. Not a number where there is no /proc: `ps`
 * tells whole seconds only.
 */
export function readProcessorMs(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const wanted = new Set(pids);
  // A child has not always a larger id than its parent.
  for (let size = 0; size !== wanted.size; ) {
    size = wanted.size;
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid);
  }
  return all.reduce((sum, { pid, ms }) => sum + (wanted.has(pid) ? ms : 0), 0);
}

function readStat(pid: number) {
  try {
    // The name of the program comes second and may hold anything; the rest follows its bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // Of its own in user and system mode, and the same of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), ms: ticks * tickMs }];
  } catch {
    // It has ended since the folder was read.
    return [];
  }
}
