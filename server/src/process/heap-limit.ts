import { missingHeapFlags } from './heap-flags.mjs';

/**
 * Starts this program again in the same process, with limits for its heap. Without
 * them, V8 takes up to 4 GiB on a large machine before it collects in earnest.
 * The limits exist only as flags: V8 reads them before the first line of a program.
 * Systems without `execve` (Windows) keep the limits of Node.js.
 */
export function limitHeap(): void {
  const flags = missingHeapFlags();
  if (flags.length === 0) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, process.env);
}
