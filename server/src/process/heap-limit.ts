import { findMissingHeapFlags } from './heap-flags.mjs';

/**
 * Restarts this program in the same process with heap limits. Without them, V8 uses up to 4 GiB on a large machine
 * before it runs a full garbage collection. The limits are only available as flags, which V8 reads before the first
 * line of a program. Systems without `execve` (Windows) keep the default limits.
 */
export function limitHeap(): void {
  const flags = findMissingHeapFlags();
  if (flags.length === 0) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, process.env);
}
