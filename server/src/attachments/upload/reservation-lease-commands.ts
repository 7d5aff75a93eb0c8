import { limits } from '@agent-platform/contract';
import type { FileStorage } from '../../files/storage.ts';
import { type IndividualQuotas, resolveFileQuota } from '../../identity/agent-quotas.ts';
import type { Clock } from '../../platform/clock.ts';
import { logLevelOf } from '../../platform/error-facts.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../../store/store.ts';
import type { FileRetentionPeriods } from '../file-expiry-queries.ts';
import { removeFileBytes } from '../file-retention-commands.ts';
import {
  abandonUpload,
  claimUpload,
  releaseUpload,
  renewLeases,
  type UploadClaimResult,
  type UploadQuotas,
} from './reservation-commands.ts';
import type { UploadFields } from './upload-shape.ts';

interface ReservationDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly leaseClock: Clock;
  readonly log: Logger;
  readonly storage: FileStorage;
  readonly terms: FileRetentionPeriods;
  readonly quotas: UploadQuotas;
}

/** The reservation of an upload, made while the file is still arriving. */
export type UploadReservation = ReturnType<UploadReservations['reserve']>;

/** A lease survives three failed renewals. The quota of a killed process stays reserved for at most this time. */
const leaseMs = 20_000;
const renewEveryMs = 5_000;
const sweepEveryMs = 15_000;
const lostPerSweep = 100;

/** Makes this process's reservations and renews their leases. Ends the reservations of killed processes. */
export class UploadReservations {
  readonly #parts: ReservationDependencies;
  readonly #running = new Set<string>();
  readonly #timers: readonly NodeJS.Timeout[];
  #sweeping: Promise<void>;

  /** If `isOnlyServer`, no other process uses this database, so all unfinished uploads found at startup are abandoned. */
  constructor(parts: ReservationDependencies, isOnlyServer: boolean) {
    this.#parts = parts;
    const sweepAgain = () => void this.sweep().catch(this.#report);
    this.#timers = [setInterval(() => this.#renew(), renewEveryMs), setInterval(sweepAgain, sweepEveryMs)];
    for (const timer of this.#timers) timer.unref();
    this.#sweeping = this.#sweepBefore(isOnlyServer ? this.#leaseEnd() : parts.leaseClock()).catch(this.#report);
  }

  /** Reserves an upload id, and quota for a file of `fileMaxBytes`. */
  reserve(
    { ownerId, own }: { readonly ownerId: string; readonly own: IndividualQuotas },
    names: UploadFields,
    fileMaxBytes: number,
  ) {
    const { store, clock, terms, quotas } = this.#parts;
    const ownQuotas = { ...quotas, own: resolveFileQuota(own, quotas.own) };
    const reservedBytes = fileMaxBytes + limits.previewReserveBytes;
    const attempt = async (): Promise<UploadClaimResult> => {
      const claim = { ownerId, ...names, reservedBytes, leaseEndsAt: this.#leaseEnd(), now: clock(), terms };
      const claimed = await store.transact((writer) => claimUpload(writer, ownQuotas, claim));
      if (claimed.kind === 'claimed') this.#running.add(claimed.id);
      return claimed;
    };
    let outcome = attempt();
    // `settle` awaits this promise; the catch only prevents an unhandled rejection.
    outcome.catch(() => undefined);
    const ifClaimed = async (act: (id: string) => unknown) => {
      const claimed = await outcome.catch(() => undefined);
      if (claimed?.kind === 'claimed') await act(claimed.id);
    };
    return {
      /**
       * Returns the final outcome; called when the upload has arrived. Repeats a failed claim once, because a
       * concurrent duplicate may have ended. If quota was short, first releases the quota of killed processes.
       */
      settle: async (): Promise<UploadClaimResult> => {
        const early = await outcome;
        if (early.kind === 'claimed') return early;
        if (early.kind === 'short') await this.sweep();
        outcome = attempt();
        return await outcome;
      },
      /** Removes an unfinished upload, as if it had never existed. */
      release: () => ifClaimed((id) => store.transact((writer) => releaseUpload(writer, id, ownerId))),
      /** Stops renewing the lease. */
      end: () => ifClaimed((id) => this.#running.delete(id)),
    };
  }

  /** Abandons lost uploads, one sweep at a time; resolves when their reservations are released. */
  sweep(): Promise<void> {
    const next = this.#sweeping.then(() => this.#sweepBefore(this.#parts.leaseClock()));
    this.#sweeping = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
  }

  #leaseEnd(): Date {
    return new Date(this.#parts.leaseClock().getTime() + leaseMs);
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
    let abandoned = 0;
    for (const { id, ownerId } of lost)
      if (await store.transact((writer) => abandonUpload(writer, id, ownerId, deadline))) abandoned += 1;
    if (abandoned === 0) return;
    log.info({ uploads: abandoned }, 'abandoned uploads of ended processes');
    // If the storage cannot remove files now, retention removes them later.
    await removeFileBytes(store, storage, deadline);
  }

  #renew(): void {
    if (this.#running.size === 0) return;
    const ids = [...this.#running];
    this.#parts.store.transact((writer) => renewLeases(writer, ids, this.#leaseEnd())).catch(this.#report);
  }

  readonly #report = (error: unknown): void => {
    this.#parts.log[logLevelOf(error)]({ err: error }, 'could not renew upload leases; will retry');
  };
}
