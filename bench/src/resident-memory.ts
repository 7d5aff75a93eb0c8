import { execFileSync } from 'node:child_process';

/** The memory of a process that is in RAM now. `ps` tells it in KiB on Linux and macOS alike. */
export function readResidentBytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  if (!(kibibytes > 0)) throw new Error(`There is no process ${pid} to look at.`);
  return kibibytes * 1024;
}
