import { isLocalAddressKey, networkLimitFactors } from '../../platform/http/address.ts';

export interface SlotClaim {
  /** Ids are ordered by time. */
  readonly id: string;
  readonly agentId: string;
  /** The keys of the networks that contain the client's address, narrowest first. */
  readonly networks: readonly string[];
}

export interface LocalSlotClaim extends SlotClaim {
  /** Closes the connection after its slot was reassigned to another network. */
  readonly giveUp: () => void;
}

/** The maximum numbers of connections; 0 means no limit. */
export interface SlotLimits {
  readonly perAgent: number;
  readonly perAddress: number;
  readonly inAll: number;
}

/** Counts by name; a missing name counts as 0. */
type Counts = Pick<ReadonlyMap<string, number>, 'get'>;

export interface UsedSlots {
  readonly inAll: number;
  readonly byAgent: Counts;
  readonly byNetwork: Counts;
}

/** The limit that a claim exceeds; undefined if the claim is granted. */
export type ExceededLimit = keyof SlotLimits | undefined;

/** Decides claims in order. If all slots are taken, it may reassign slots of `current`; `givenUp` lists these. */
export function decideSlotClaims(
  claims: readonly SlotClaim[],
  used: UsedSlots,
  limits: SlotLimits,
  current: readonly SlotClaim[] = [],
): { readonly exceeded: readonly ExceededLimit[]; readonly givenUp: readonly SlotClaim[] } {
  const granted = new SlotCounts();
  const exceeded: ExceededLimit[] = [];
  const givenUp = new SlotCounts();
  const { perAgent, inAll } = limits;
  const countOf = (key: 'byAgent' | 'byNetwork', name: string) =>
    (granted[key].get(name) ?? 0) + (used[key].get(name) ?? 0) - (givenUp[key].get(name) ?? 0);
  const isOverNetwork = (name: string, index: number) =>
    countOf('byNetwork', name) >= (getNetworkLimit(limits, index) ?? Number.POSITIVE_INFINITY);
  const giveUpFor = (claim: SlotClaim): boolean => {
    if (claim.networks.every((name) => countOf('byNetwork', name) > 0)) return false;
    const found = chooseSlotToReassign(claim, [...current.filter(({ id }) => !givenUp.has(id)), ...granted.all()]);
    if (found === undefined) return false;
    // If the reassigned slot was granted earlier in this call, its claim is refused instead.
    if (granted.delete(found.id)) exceeded[claims.indexOf(found)] = 'inAll';
    else givenUp.add(found);
    return true;
  };
  for (const claim of claims) {
    if (perAgent !== 0 && countOf('byAgent', claim.agentId) >= perAgent) exceeded.push('perAgent');
    // Agents on the server's machine all share its address, so the address limit does not apply to them (§7.9).
    else if (!isLocalAddressKey(claim.networks[0] ?? '') && claim.networks.some(isOverNetwork))
      exceeded.push('perAddress');
    else if (inAll !== 0 && granted.inAll + used.inAll - givenUp.inAll >= inAll && !giveUpFor(claim)) {
      exceeded.push('inAll');
    } else {
      exceeded.push(undefined);
      granted.add(claim);
    }
  }
  return { exceeded, givenUp: givenUp.all() };
}

/** The limit for the network at this index of a claim (§9.11); undefined if it has none. */
export function getNetworkLimit({ perAddress, inAll }: SlotLimits, index: number): number | undefined {
  const limit = perAddress * (networkLimitFactors[index] ?? 1);
  return limit === 0 || (index > 0 && inAll !== 0 && limit >= inAll) ? undefined : limit;
}

/**
 * Chooses the connection to close for a network that has none: the newest one of the network with the most connections,
 * if that network has more than one. The widest networks are compared first, then the networks inside them. If the
 * claim's wider network has connections, one of those is closed.
 */
export function chooseSlotToReassign({ networks }: SlotClaim, current: readonly SlotClaim[]): SlotClaim | undefined {
  let candidates: readonly SlotClaim[] = current.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  let isOwn = true;
  for (let depth = 1; depth <= networkLimitFactors.length; depth += 1) {
    const byNetwork = Map.groupBy(candidates, (claim) => claim.networks.at(-depth));
    const own: readonly SlotClaim[] | undefined = isOwn ? byNetwork.get(networks.at(-depth)) : undefined;
    const [most = []] = [...byNetwork.values()].toSorted((one, other) => other.length - one.length);
    if (own === undefined && isOwn && most.length < 2) return undefined;
    isOwn = own !== undefined;
    candidates = own ?? most;
  }
  return isOwn ? undefined : candidates[0];
}

export function addUsedSlots(own: UsedSlots, others: UsedSlots): UsedSlots {
  const add = (one: Counts, other: Counts): Counts => ({
    get: (name) => (one.get(name) ?? 0) + (other.get(name) ?? 0),
  });
  return {
    inAll: own.inAll + others.inAll,
    byAgent: add(own.byAgent, others.byAgent),
    byNetwork: add(own.byNetwork, others.byNetwork),
  };
}

export class SlotCounts<Claim extends SlotClaim = SlotClaim> implements UsedSlots {
  readonly #claims = new Map<string, Claim>();
  readonly byAgent = new Map<string, number>();
  readonly byNetwork = new Map<string, number>();

  get inAll(): number {
    return this.#claims.size;
  }

  all(): readonly Claim[] {
    return [...this.#claims.values()];
  }

  has(connectionId: string): boolean {
    return this.#claims.has(connectionId);
  }

  add(claim: Claim): void {
    this.#claims.set(claim.id, claim);
    this.#count(claim, 1);
  }

  delete(connectionId: string): Claim | undefined {
    const claim = this.#claims.get(connectionId);
    if (claim === undefined || !this.#claims.delete(connectionId)) return undefined;
    this.#count(claim, -1);
    return claim;
  }

  #count({ agentId, networks }: Claim, by: 1 | -1): void {
    count(this.byAgent, agentId, by);
    for (const network of networks) count(this.byNetwork, network, by);
  }
}

function count(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const number = (counts.get(name) ?? 0) + by;
  if (number === 0) counts.delete(name);
  else counts.set(name, number);
}

export function computeDefaultAddressLimit({ perAgent, inAll }: Pick<SlotLimits, 'perAgent' | 'inAll'>): number {
  return inAll === 0 ? 0 : Math.max(Math.ceil(inAll / 2), perAgent);
}
