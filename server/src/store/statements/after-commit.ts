import type { Revocation } from '../../platform/revocation.ts';
import type { Store, Writer } from '../store.ts';

const waiting = new WeakMap<Writer, (() => void)[]>();

/**
 * Runs `work` after the commit of this writer's transaction, but not after a rollback. It must not throw, and no caller
 * awaits it; do essential work in the transaction.
 */
export function scheduleAfterCommit(writer: Writer, work: () => void): void {
  const already = waiting.get(writer);
  if (already === undefined) waiting.set(writer, [work]);
  else already.push(work);
}

/** Runs the work that `scheduleAfterCommit` registered for a writer whose transaction was committed. */
export function runAfterCommit(writer: Writer): void {
  for (const work of waiting.get(writer) ?? []) work();
}

const noted = new WeakMap<Writer, Revocation[]>();

/** Records revocations in a writer's transaction; `withRevocationJournal` writes them to the journal afterwards. */
export function recordRevocation(writer: Writer, ...entries: readonly Revocation[]): void {
  const already = noted.get(writer);
  if (already === undefined) noted.set(writer, [...entries]);
  else already.push(...entries);
}

/** Wraps a store so that transactions resolve only after `append` has journaled their revocations. */
export function withRevocationJournal(store: Store, append: (entries: readonly Revocation[]) => Promise<void>): Store {
  return {
    ...store,
    transact: async (work) => {
      let used: Writer | undefined;
      const result = await store.transact((writer) => {
        used = writer;
        return work(writer);
      });
      const entries = used === undefined ? undefined : noted.get(used);
      if (entries !== undefined) await append(entries);
      return result;
    },
  };
}
