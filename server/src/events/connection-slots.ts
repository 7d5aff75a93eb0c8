/** A connection that needs a slot. */
export interface SlotClaim {
  readonly id: string;
  readonly agentId: string;
  /** The key of the client's address. */
  readonly address: string;
}

/** The most connections; 0 means no limit. */
export interface SlotLimits {
  readonly perAgent: number;
  readonly perAddress: number;
  readonly inAll: number;
}

/** Numbers by name; a name without one has none. */
type Counts = Pick<ReadonlyMap<string, number>, 'get'>;

/** The number of slots in use. */
export interface UsedSlots {
  readonly inAll: number;
  readonly byAgent: Counts;
  readonly byAddress: Counts;
}

/** The limit that a claim exceeds; undefined where it has a slot. */
export type ExceededLimit = keyof SlotLimits | undefined;

/** Decides about claims in their order. */
export function decideClaims(
  claims: readonly SlotClaim[],
  used: UsedSlots,
  limits: SlotLimits,
): readonly ExceededLimit[] {
  const granted = new HeldSlots();
  const countOf = (own: Counts, others: Counts, name: string) => (own.get(name) ?? 0) + (others.get(name) ?? 0);
  return claims.map((claim) => {
    const { agentId, address } = claim;
    const { perAgent, perAddress, inAll } = limits;
    if (perAgent !== 0 && countOf(granted.byAgent, used.byAgent, agentId) >= perAgent) return 'perAgent';
    if (perAddress !== 0 && countOf(granted.byAddress, used.byAddress, address) >= perAddress) return 'perAddress';
    if (inAll !== 0 && granted.inAll + used.inAll >= inAll) return 'inAll';
    granted.add(claim);
    return undefined;
  });
}

/** Adds the slots of other processes to those of this one. */
export function addSlots(own: UsedSlots, others: UsedSlots): UsedSlots {
  const add = (one: Counts, other: Counts): Counts => ({
    get: (name) => (one.get(name) ?? 0) + (other.get(name) ?? 0),
  });
  return {
    inAll: own.inAll + others.inAll,
    byAgent: add(own.byAgent, others.byAgent),
    byAddress: add(own.byAddress, others.byAddress),
  };
}

/** Slots that are counted as they come and go. */
export class HeldSlots implements UsedSlots {
  readonly #claims = new Map<string, SlotClaim>();
  readonly byAgent = new Map<string, number>();
  readonly byAddress = new Map<string, number>();

  get inAll(): number {
    return this.#claims.size;
  }

  all(): readonly SlotClaim[] {
    return [...this.#claims.values()];
  }

  add(claim: SlotClaim): void {
    this.#claims.set(claim.id, claim);
    count(this.byAgent, claim.agentId, 1);
    count(this.byAddress, claim.address, 1);
  }

  /** False where the connection has no slot. */
  delete(connectionId: string): boolean {
    const claim = this.#claims.get(connectionId);
    if (claim === undefined) return false;
    this.#claims.delete(connectionId);
    count(this.byAgent, claim.agentId, -1);
    count(this.byAddress, claim.address, -1);
    return true;
  }
}

function count(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const number = (counts.get(name) ?? 0) + by;
  if (number === 0) counts.delete(name);
  else counts.set(name, number);
}

/**
 * The limit of an address without a setting of its own: half of all connections,
 * and at least those of one agent.
 */
export function shareOfAddress({ perAgent, inAll }: Pick<SlotLimits, 'perAgent' | 'inAll'>): number {
  return inAll === 0 ? 0 : Math.max(Math.ceil(inAll / 2), perAgent);
}
