import { limits } from '@agent-platform/contract';
import { fileQuotaOf, type OwnQuotas } from '../../identity/agent-quotas.ts';
import type { Store } from '../../store/store.ts';
import type { FileExpiry } from '../file-expiry-queries.ts';
import { type Claimed, claimUpload, type Quotas, releaseUpload } from './reservation-commands.ts';
import type { UploadLeaseManager } from './upload-lease-commands.ts';
import type { UploadNames } from './upload-shape.ts';

/** The parts of a claim. */
export interface ClaimParts extends FileExpiry {
  readonly store: Store;
  readonly leases: UploadLeaseManager;
  readonly quotas: Quotas;
}

/** The claim of an upload on quota and on its id, made while the upload still arrives. */
export type QuotaClaim = ReturnType<typeof claimQuota>;

/** Claims quota for an upload of at most `fileMaxBytes`, and its id. */
export function claimQuota(
  { store, clock, terms, leases, quotas: settings }: ClaimParts,
  { ownerId, own }: { readonly ownerId: string; readonly own: OwnQuotas },
  names: UploadNames,
  fileMaxBytes: number,
) {
  const quotas = { ...settings, own: fileQuotaOf(own, settings.own) };
  const reservedBytes = fileMaxBytes + limits.previewReserveBytes;
  let stopRenewing = () => {};
  let outcome = attempt();
  // Awaited by `settle`; this catch only prevents an unhandled rejection.
  outcome.catch(() => undefined);

  async function attempt(): Promise<Claimed> {
    const reservation = { reservedBytes, leaseEndsAt: leases.leaseEnd(), now: clock(), terms };
    const claimed = await store.transact((writer) =>
      claimUpload(writer, quotas, { ownerId, ...names, ...reservation }),
    );
    if (claimed.kind === 'claimed') stopRenewing = leases.watch(claimed.id);
    return claimed;
  }

  return {
    /**
     * The final outcome, when the upload has arrived. Tries once more after a
     * failed attempt: a concurrent duplicate may have ended, and the quota of a dead
     * process is released.
     */
    settle: async (): Promise<Claimed> => {
      const early = await outcome;
      if (early.kind === 'claimed') return early;
      if (early.kind === 'short') await leases.sweep();
      outcome = attempt();
      return await outcome;
    },
    /** Removes an unfinished upload, as if it had never existed. */
    release: async (): Promise<void> => {
      const claimed = await outcome.catch(() => undefined);
      if (claimed?.kind === 'claimed') await store.transact((writer) => releaseUpload(writer, claimed.id, ownerId));
    },
    /** Stops renewing the lease. */
    end: () => stopRenewing(),
  };
}
