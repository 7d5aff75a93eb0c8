import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findInnermostProcess } from '../src/inspection/processes.ts';

/** Returns the ids of running inspectors that this process started through its launchers, without wrappers. */
export async function findOwnInspectors(): Promise<readonly string[]> {
  const innermost = await Promise.all(findLaunchedProcesses().map(findInnermostProcess));
  return innermost.filter((pid) => readCommandLine(pid).startsWith(process.execPath)).map(String);
}

/** Returns the children of this process's launchers: the inspectors or their outermost wrappers. */
export function findLaunchedProcesses(): readonly number[] {
  return findOwnLaunchers().flatMap(childrenOf);
}

export function findOwnLaunchers(): readonly number[] {
  return childrenOf(process.pid).filter((pid) => readCommandLine(pid).includes('inspector-launcher'));
}

function childrenOf(pid: number): readonly number[] {
  const options = ['-e', '-o', 'ppid=,pid='];
  const pairs = execFileSync('ps', options, { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([parent, child]) => (parent === pid && child !== undefined ? [child] : []));
}

/** Returns an empty text if the process has ended. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Whether a process has a handler for SIGHUP, which Node.js does not install by default. */
export function handlesSighup(pid: string): boolean {
  const [, mask = '0'] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & 1n) === 1n;
}

/** Returns hundredths of a second. */
export function readProcessorTicks(pid: string): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user ?? 0) + (system ?? 0);
}
