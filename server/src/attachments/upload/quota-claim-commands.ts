import { limits } from '@agent-platform/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { type Claimed, claimUpload, type Quotas, releaseUpload } from './reservation-commands.ts';
import type { UploadLeaseManager } from './upload-lease-commands.ts';
import type { UploadNames } from './upload-shape.ts';

/** The parts of a claim. */
export interface ClaimParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly leases: UploadLeaseManager;
  readonly quotas: Quotas;
}

/** The claim of an upload on quota and on its id, made while the upload still arrives. */
export class QuotaClaim {
  readonly #parts: ClaimParts;
  readonly #ownerId: string;
  readonly #names: UploadNames;
  readonly #reservedBytes: number;
  #outcome: Promise<Claimed>;
  #stopRenewing = () => {};

  constructor(parts: ClaimParts, ownerId: string, names: UploadNames, fileMaxBytes: number) {
    this.#parts = parts;
    this.#ownerId = ownerId;
    this.#names = names;
    this.#reservedBytes = fileMaxBytes + limits.previewReserveBytes;
    this.#outcome = this.#attempt();
    // Awaited by `settle`; this catch only prevents an unhandled rejection.
    this.#outcome.catch(() => undefined);
  }

  /**
   * The final outcome, when the upload has arrived. Tries once more after a
   * failed attempt: a concurrent duplicate may have ended, and the quota of a dead
   * process is released.
   */
  async settle(): Promise<Claimed> {
    const early = await this.#outcome;
    if (early.kind === 'claimed') return early;
    if (early.kind === 'short') await this.#parts.leases.sweep();
    this.#outcome = this.#attempt();
    return await this.#outcome;
  }

  /** Removes an unfinished upload, as if it had never existed. */
  async release(): Promise<void> {
    const claimed = await this.#outcome.catch(() => undefined);
    if (claimed?.kind !== 'claimed') return;
    await this.#parts.store.transact((writer) => releaseUpload(writer, claimed.id, this.#ownerId));
  }

  /** Stops renewing the lease. */
  end(): void {
    this.#stopRenewing();
  }

  async #attempt(): Promise<Claimed> {
    const { store, clock, leases, quotas } = this.#parts;
    const reservation = { reservedBytes: this.#reservedBytes, leaseEndsAt: leases.leaseEnd(), now: clock() };
    const claim = { ownerId: this.#ownerId, ...this.#names, ...reservation };
    const claimed = await store.transact((writer) => claimUpload(writer, quotas, claim));
    if (claimed.kind === 'claimed') this.#stopRenewing = leases.watch(claimed.id);
    return claimed;
  }
}
