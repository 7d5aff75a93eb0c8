import type { Writer } from './store.ts';

const waiting = new WeakMap<Writer, (() => void)[]>();

/**
 * Runs `work` once the transaction of this writer is committed; never, when it
 * rolls back. It must not throw, and no caller awaits it: required work
 * belongs into the transaction.
 */
export function afterCommit(writer: Writer, work: () => void): void {
  const already = waiting.get(writer);
  if (already === undefined) waiting.set(writer, [work]);
  else already.push(work);
}

/** Runs the work of a writer after its commit. */
export function runAfterCommit(writer: Writer): void {
  for (const work of waiting.get(writer) ?? []) work();
}
