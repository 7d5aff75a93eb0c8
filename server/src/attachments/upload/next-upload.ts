/** The numbers of upload slots of one instance; 0 means no limit. */
export interface UploadSlotLimits {
  /** The number of receiving slots; an upload occupies one until the response. */
  readonly arrivingUploads: number;
  readonly arrivingUploadsPerAgent: number;
  readonly arrivingUploadsPerAddress: number;
  readonly uploadChecksPerInstance: number;
}

export interface SlotHolder {
  readonly ownerId: string;
  /** The key that identifies the client's address for limits. */
  readonly address: string;
  /** Whether another upload may replace it; false once a check of its file has begun. */
  readonly mayYield: boolean;
}

type ReceivingDecision<Holder> =
  | { readonly kind: 'start' }
  | { readonly kind: 'replace'; readonly yielding: Holder }
  | { readonly kind: 'wait' };

/** The slots that an agent uses in a phase of uploads. */
export interface SlotUsage {
  readonly slots: number;
  /** The part of the agent's recent checking time that still lowers its priority. */
  readonly spentMs: number;
}

/** If an agent's checks took longer than this, it gets one check at a time, even if no other agent waits. */
const spentMaxMs = 2_000;

/**
 * Decides whether the next upload starts. If its address or the instance has no free slot, it may replace the newest
 * upload of the agent with the most slots, so that no agent can starve the others.
 *
 * @param holders in the order in which they got their slots
 */
export function decideReceivingSlot<Holder extends SlotHolder>(
  holders: readonly Holder[],
  { ownerId, address }: Pick<SlotHolder, 'ownerId' | 'address'>,
  limits: UploadSlotLimits,
): ReceivingDecision<Holder> {
  if (areAllSlotsTaken(countSlots(holders, ownerId), limits.arrivingUploadsPerAgent)) return { kind: 'wait' };
  const neighbours = holders.filter((holder) => holder.address === address);
  const full = [
    { group: neighbours, max: limits.arrivingUploadsPerAddress },
    { group: holders, max: limits.arrivingUploads },
  ].find(({ group, max }) => areAllSlotsTaken(group.length, max));
  if (full === undefined) return { kind: 'start' };
  const yielding = findYielding(full.group, ownerId);
  return yielding === undefined ? { kind: 'wait' } : { kind: 'replace', yielding };
}

// The agent that loses the slot must keep at least as many slots as the uploading agent gets.
function findYielding<Holder extends SlotHolder>(group: readonly Holder[], ownerId: string): Holder | undefined {
  const own = countSlots(group, ownerId);
  const candidates = group.filter((holder) => holder.mayYield && countSlots(group, holder.ownerId) >= own + 2);
  const most = Math.max(...candidates.map((holder) => countSlots(group, holder.ownerId)));
  return candidates.findLast((holder) => countSlots(group, holder.ownerId) === most);
}

/** Sorts waiting uploads by the number of slots of their agents, then by checking time, then by arrival. */
export function sortWaitingUploads<Waiting extends { readonly ownerId: string }>(
  waiting: readonly Waiting[],
  usageOf: (ownerId: string) => SlotUsage,
): readonly Waiting[] {
  return waiting.toSorted((one, other) => {
    const [left, right] = [usageOf(one.ownerId), usageOf(other.ownerId)];
    return left.slots - right.slots || left.spentMs - right.spentMs;
  });
}

/** Sorts the first waiting check of each agent. Omits an agent's other checks, because they never rank higher. */
export function sortWaitingChecks<Waiting extends { readonly ownerId: string }>(
  waiting: readonly Waiting[],
  usageOf: (ownerId: string) => SlotUsage,
): readonly Waiting[] {
  const first = waiting.filter(({ ownerId }, index) => waiting.findIndex((one) => one.ownerId === ownerId) === index);
  return sortWaitingUploads(first, usageOf);
}

export function mayUseExtraSlot({ spentMs }: SlotUsage): boolean {
  return spentMs <= spentMaxMs;
}

export function countSlots(uploads: readonly { readonly ownerId: string }[], ownerId: string): number {
  return uploads.filter((upload) => upload.ownerId === ownerId).length;
}

/** Whether all of `max` slots are in use; 0 means no limit. */
export function areAllSlotsTaken(count: number, max: number): boolean {
  return max !== 0 && count >= max;
}
