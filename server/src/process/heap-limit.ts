import { getHeapStatistics } from 'node:v8';

/** Several times the heap of a server under load. */
const heapMaxMiB = 1_024;

/**
 * Starts this program again in the same process, with a limit for its heap. Without
 * one, V8 takes up to 4 GiB on a large machine before it collects in earnest.
 * The limit exists only as a flag: V8 reads it before the first line of a program.
 * A limit in NODE_OPTIONS, and a smaller machine, decide for themselves. Systems
 * without `execve` (Windows) keep the limit of Node.js.
 */
export function limitHeap(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS']].join(' ');
  const isGiven = /--max[-_](old[-_]space|heap)[-_]size/.test(given);
  const isSmaller = getHeapStatistics().heap_size_limit <= heapMaxMiB * 2 ** 20;
  if (isGiven || isSmaller) return;
  const flags = [`--max-old-space-size=${heapMaxMiB}`, ...process.execArgv];
  process.execve?.(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], process.env);
}
