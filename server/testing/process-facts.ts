import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { findInnermost } from '../src/inspection/process-usage.ts';

/** The programs in Node.js that this process has started, itself or by wrappers, and that are there now. */
export async function ownPrograms(): Promise<readonly string[]> {
  const options = ['--ppid', String(process.pid), '-o', 'pid='];
  const own = execFileSync('ps', options, { encoding: 'utf8' }).trim().split(/\s+/);
  const innermost = await Promise.all(own.map((pid) => findInnermost(Number(pid))));
  return innermost.filter((pid) => commandOf(pid).startsWith(process.execPath)).map(String);
}

/** The command line of a process; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Gives a process the processor before all others, which a file at fault needs on a busy machine. */
export function favour(pid: number): void {
  try {
    setPriority(pid, -20);
  } catch {
    // Only root may.
  }
}

/** Whether a program has loaded so far that it handles signals by itself; Node.js handles this one not at all. */
export function handlesHangUp(pid: string): boolean {
  const [, mask = '0'] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & 1n) === 1n;
}

/** Hundredths of a second that a process has worked for. */
export function processorTicks(pid: string): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user ?? 0) + (system ?? 0);
}
