import type { FileStorage } from '../../files/storage.ts';
import type { Clock } from '../../platform/clock.ts';
import { levelOf } from '../../platform/error-facts.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../../store/store.ts';
import { removeBytes } from '../file-retention-commands.ts';
import { abandonUploads, renewLeases } from './reservation-commands.ts';

/** The parts of the lease manager. */
interface LeaseParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: FileStorage;
}

/** A lease survives three late renewals; the quota of a killed process is reserved no longer than this. */
const leaseMs = 20_000;
const renewEveryMs = 5_000;
const sweepEveryMs = 15_000;
const lostPerSweep = 100;

/** Renews the leases of the uploads of this process, and ends those of killed processes. */
export class UploadLeaseManager {
  readonly #parts: LeaseParts;
  readonly #running = new Set<string>();
  readonly #timers: readonly NodeJS.Timeout[];
  #sweeping: Promise<void>;

  /** `isAlone` means that no other process uses this database: every upload found at the start is lost. */
  constructor(parts: LeaseParts, isAlone: boolean) {
    this.#parts = parts;
    this.#timers = [
      setInterval(() => this.#renew(), renewEveryMs),
      setInterval(() => this.#sweepAgain(), sweepEveryMs),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#sweeping = this.#sweepBefore(isAlone ? this.leaseEnd() : parts.clock()).catch(this.#report);
  }

  /** The end of a lease that begins or is renewed now. */
  leaseEnd(): Date {
    return new Date(this.#parts.clock().getTime() + leaseMs);
  }

  /** Renews the lease of an upload until the returned function is called. */
  watch(id: string): () => void {
    this.#running.add(id);
    return () => this.#running.delete(id);
  }

  /** Abandons lost uploads, one sweep at a time; resolves when their reservations are released. */
  sweep(): Promise<void> {
    const next = this.#sweeping.then(() => this.#sweepBefore(this.#parts.clock()));
    this.#sweeping = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
  }

  async #sweepBefore(deadline: Date): Promise<void> {
    const { store, storage, log } = this.#parts;
    const expired = await store.read((reader) =>
      reader
        .selectFrom('attachments')
        .where('lease_expires_at', '<', deadline)
        .select(['id', 'owner_id as ownerId'])
        .limit(lostPerSweep)
        .execute(),
    );
    const lost = expired.filter(({ id }) => !this.#running.has(id));
    if (lost.length === 0) return;
    const abandoned = await store.transact((writer) => abandonUploads(writer, lost, deadline));
    if (abandoned.length === 0) return;
    log.info({ uploads: abandoned.length }, 'abandoned uploads of ended processes');
    // What the storage does not remove now, retention does.
    await removeBytes(store, storage, deadline);
  }

  #sweepAgain(): void {
    this.sweep().catch(this.#report);
  }

  #renew(): void {
    if (this.#running.size === 0) return;
    const ids = [...this.#running];
    this.#parts.store.transact((writer) => renewLeases(writer, ids, this.leaseEnd())).catch(this.#report);
  }

  readonly #report = (error: unknown): void => {
    this.#parts.log[levelOf(error)]({ err: error }, 'could not renew upload leases; will retry');
  };
}
