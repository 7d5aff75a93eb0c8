import { getHeapStatistics } from 'node:v8';

/** Several times the heap of a server under load. */
const heapMaxMiB = 1_024;

/** Half of the heap for new objects. V8 lets it grow to 64 MiB, and each object may hold memory outside. */
const semiSpaceMaxMiB = 16;

/**
 * Starts this program again in the same process, with limits for its heap. Without
 * them, V8 takes up to 4 GiB on a large machine before it collects in earnest.
 * The limits exist only as flags: V8 reads them before the first line of a program.
 * Limits in NODE_OPTIONS, and a smaller machine, decide for themselves. Systems
 * without `execve` (Windows) keep the limits of Node.js.
 */
export function limitHeap(): void {
  const flags = missingFlags();
  if (flags.length === 0) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, process.env);
}

function missingFlags(): string[] {
  const given = [...process.execArgv, process.env['NODE_OPTIONS']].join(' ');
  const hasHeapMax =
    /--max[-_](old[-_]space|heap)[-_]size/.test(given) || getHeapStatistics().heap_size_limit <= heapMaxMiB * 2 ** 20;
  const hasSemiSpaceMax = /--max[-_]semi[-_]space[-_]size/.test(given);
  return [
    ...(hasHeapMax ? [] : [`--max-old-space-size=${heapMaxMiB}`]),
    ...(hasSemiSpaceMax ? [] : [`--max-semi-space-size=${semiSpaceMaxMiB}`]),
  ];
}
