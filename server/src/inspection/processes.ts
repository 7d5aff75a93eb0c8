import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const tickMs = 10;
const pageBytes = 4_096;

/** Finds the innermost process in a chain of wrapper processes that each wait for the next; without wrappers, `pid`. */
export async function findInnermostProcess(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const child = Number.parseInt(children, 10);
  return child > 0 ? await findInnermostProcess(child) : pid;
}

/** Counts all threads of the process; returns NaN if the system does not report their time. */
export async function readProcessorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return Number.NaN;
  // The name of the program, in brackets, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Rejects if the process has ended. */
export async function readResidentBytes(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined);
  if (statm !== undefined) return Number(statm.split(' ')[1]) * pageBytes;
  const { stdout } = await run('/bin/ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * 1_024;
}

export function killProcessGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have already ended.
  }
}
