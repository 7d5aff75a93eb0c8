import type { Writer } from './store.ts';

const waiting = new WeakMap<Writer, (() => void)[]>();

/**
 * Runs `work` once the transaction of this writer is committed; never, when it
 * rolls back. It must not throw and nobody waits for it: what has to happen
 * belongs into the transaction.
 */
export function afterCommit(writer: Writer, work: () => void): void {
  const already = waiting.get(writer);
  if (already === undefined) waiting.set(writer, [work]);
  else already.push(work);
}

/** Does what waits for the commit of a writer, which has just happened. */
export function runAfterCommit(writer: Writer): void {
  for (const work of waiting.get(writer) ?? []) work();
}
