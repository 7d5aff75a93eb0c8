import { limits } from '@agent-platform/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { type Claimed, claimUpload, type Quotas, releaseUpload } from './reservation-commands.ts';
import type { UploadKeeper } from './upload-keeper-commands.ts';
import type { UploadNames } from './upload-shape.ts';

/** What claiming works with. */
export interface ClaimParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly keeper: UploadKeeper;
  readonly quotas: Quotas;
}

/** The room and the id that an upload asks for. */
export interface RoomClaim {
  /** The last word on the claim, to be asked when the upload has arrived. */
  settle(): Promise<Claimed>;
  /** Gives back what is still reserved, as if the upload had never come. */
  release(): Promise<void>;
  /** Stops to renew the lease. */
  end(): void;
}

/**
 * Claims room for an upload while it still arrives. Nobody waits for the
 * outcome before `settle`, which asks once more where the first answer was no:
 * a twin may have given up, and room that a dead process held is given back.
 */
export function claimRoom(parts: ClaimParts, ownerId: string, names: UploadNames, fileMaxBytes: number): RoomClaim {
  const { store, clock, keeper, quotas } = parts;
  const reservedBytes = fileMaxBytes + limits.previewReserveBytes;
  let stopWatching: (() => void) | undefined;
  let outcome = attempt();

  async function attempt(): Promise<Claimed> {
    const claim = { ownerId, ...names, reservedBytes, leaseEndsAt: keeper.leaseEnd(), now: clock() };
    const claimed = await store.transact((writer) => claimUpload(writer, quotas, claim));
    if (claimed.kind === 'claimed') stopWatching = keeper.watch(claimed.id);
    return claimed;
  }

  // Its failure is told to whoever settles; until then it must not count as unhandled.
  outcome.catch(() => undefined);
  return {
    settle: async () => {
      const early = await outcome;
      if (early.kind === 'claimed') return early;
      if (early.kind === 'short') await keeper.sweep();
      outcome = attempt();
      return await outcome;
    },
    release: async () => {
      const claimed = await outcome.catch(() => undefined);
      if (claimed?.kind === 'claimed') await store.transact((writer) => releaseUpload(writer, claimed.id, ownerId));
    },
    end: () => stopWatching?.(),
  };
}
