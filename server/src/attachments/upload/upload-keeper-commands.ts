import type { FileStorage } from '../../files/storage.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../../store/store.ts';
import { findLostUploads } from '../attachment-queries.ts';
import { originalKey, previewKey } from '../file-keys.ts';
import { abandonUploads, renewLeases } from './reservation-commands.ts';

/** What keeping uploads works with. */
export interface KeeperParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: FileStorage;
}

/** Looks after the uploads that are under way here, and after those that a killed process has left. */
export interface UploadKeeper {
  leaseEnd(): Date;
  /** Renews the lease of an upload until the returned function is called. */
  watch(id: string): () => void;
  /** Gives up what nobody works on any more; resolves when the room is given back. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** A lease outlives three renewals that come late; a killed process holds room for no longer. */
const leaseMs = 20_000;
const renewEveryMs = 5_000;
const sweepEveryMs = 15_000;

/**
 * Starts to keep uploads. `isAlone` says that no other process works on this
 * database, so that everything it holds at the start was left by a dead one.
 */
export function keepUploads({ store, clock, log, storage }: KeeperParts, isAlone: boolean): UploadKeeper {
  const watched = new Set<string>();
  const timers = [setInterval(renew, renewEveryMs), setInterval(sweepQuietly, sweepEveryMs)];
  for (const timer of timers) timer.unref();
  const leaseEnd = () => new Date(clock().getTime() + leaseMs);
  let running: Promise<void> = sweepBefore(isAlone ? new Date(clock().getTime() + leaseMs) : clock()).catch(report);

  async function sweepBefore(deadline: Date): Promise<void> {
    const lost = await store.read((reader) => findLostUploads(reader, deadline));
    const ours = lost.filter(({ id }) => !watched.has(id));
    if (ours.length === 0) return;
    const abandoned = await store.transact((writer) => abandonUploads(writer, ours, deadline));
    for (const id of abandoned) {
      await storage.remove(originalKey(id));
      await storage.remove(previewKey(id));
    }
    if (abandoned.length > 0) log.info({ uploads: abandoned.length }, 'abandoned uploads of ended processes');
  }

  // One sweep at a time; who asks meanwhile waits for the next one.
  function sweep(): Promise<void> {
    const next = running.then(() => sweepBefore(clock()));
    running = next.catch(() => undefined);
    return next;
  }

  function sweepQuietly(): void {
    sweep().catch(report);
  }

  function renew(): void {
    if (watched.size === 0) return;
    store.transact((writer) => renewLeases(writer, [...watched], leaseEnd())).catch(report);
  }

  function report(error: unknown): void {
    log.warn({ err: error }, 'could not renew upload leases; will retry');
  }

  return {
    leaseEnd,
    watch: (id) => {
      watched.add(id);
      return () => watched.delete(id);
    },
    sweep,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
}
