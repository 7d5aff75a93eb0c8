/** An upload that holds a place while it is received and checked. */
export interface ArrivalHolder {
  readonly ownerId: string;
  /** The key that the client's address is limited by. */
  readonly address: string;
  /** False once its file is being checked. */
  readonly mayYield: boolean;
}

/** Uploads that one instance receives at the same time. 0: no limit. */
export interface ArrivalLimits {
  readonly all: number;
  readonly perAgent: number;
  readonly perAddress: number;
}

/** Whether a further upload enters, enters in the place of another, or waits. */
type ArrivalDecision<Holder> =
  | { readonly kind: 'enter' }
  | { readonly kind: 'replace'; readonly yielding: Holder }
  | { readonly kind: 'wait' };

/**
 * Decides on a further upload. Where all places of an address or of the instance
 * are taken, an agent with fewer of them replaces the newest upload of the agent
 * with the most, so that no agent can keep the others out.
 *
 * @param holders in the order in which they entered
 */
export function decideArrival<Holder extends ArrivalHolder>(
  holders: readonly Holder[],
  arriving: Pick<ArrivalHolder, 'ownerId' | 'address'>,
  limits: ArrivalLimits,
): ArrivalDecision<Holder> {
  if (isFull(countOf(holders, arriving.ownerId), limits.perAgent)) return { kind: 'wait' };
  const neighbours = holders.filter(({ address }) => address === arriving.address);
  const full = [
    { group: neighbours, max: limits.perAddress },
    { group: holders, max: limits.all },
  ].find(({ group, max }) => isFull(group.length, max));
  if (full === undefined) return { kind: 'enter' };
  const yielding = findYielding(full.group, arriving.ownerId);
  return yielding === undefined ? { kind: 'wait' } : { kind: 'replace', yielding };
}

// After the replacement no agent has fewer places than the arriving had before.
function findYielding<Holder extends ArrivalHolder>(group: readonly Holder[], ownerId: string): Holder | undefined {
  const own = countOf(group, ownerId);
  const candidates = group.filter((holder) => holder.mayYield && countOf(group, holder.ownerId) >= own + 2);
  const most = Math.max(...candidates.map((holder) => countOf(group, holder.ownerId)));
  return candidates.findLast((holder) => countOf(group, holder.ownerId) === most);
}

function countOf(holders: readonly ArrivalHolder[], ownerId: string): number {
  return holders.filter((holder) => holder.ownerId === ownerId).length;
}

function isFull(count: number, max: number): boolean {
  return max !== 0 && count >= max;
}
