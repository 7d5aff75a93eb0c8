import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The memory of a process that is in RAM now. `ps` tells it in KiB on Linux and macOS alike. */
export function readResidentBytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  if (!(kibibytes > 0)) throw new Error(`There is no process ${pid}.`);
  return kibibytes * 1024;
}

// What one tick of /proc/…/stat is, on every Linux that Node.js runs on.
const tickMs = 10;

/**
 * The processor time that a process has used, its share of the kernel's
 * included. Undefined where there is no /proc: `ps` tells whole seconds only.
 */
export function readProcessorMs(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name of the program comes second and may hold anything; the rest follows its bracket.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
