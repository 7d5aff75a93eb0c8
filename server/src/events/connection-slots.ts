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

/** The number of slots in use. */
export interface UsedSlots {
  readonly inAll: number;
  readonly byAgent: ReadonlyMap<string, number>;
  readonly byAddress: ReadonlyMap<string, number>;
}

/** The limit that a claim exceeds; undefined where it has a slot. */
export type ExceededLimit = keyof SlotLimits | undefined;

/** Decides about claims in their order. */
export function decideClaims(
  claims: readonly SlotClaim[],
  used: UsedSlots,
  limits: SlotLimits,
): readonly ExceededLimit[] {
  let { inAll } = used;
  const byAgent = new Map(used.byAgent);
  const byAddress = new Map(used.byAddress);
  return claims.map(({ agentId, address }) => {
    const ofAgent = byAgent.get(agentId) ?? 0;
    const ofAddress = byAddress.get(address) ?? 0;
    if (limits.perAgent !== 0 && ofAgent >= limits.perAgent) return 'perAgent';
    if (limits.perAddress !== 0 && ofAddress >= limits.perAddress) return 'perAddress';
    if (limits.inAll !== 0 && inAll >= limits.inAll) return 'inAll';
    inAll += 1;
    byAgent.set(agentId, ofAgent + 1);
    byAddress.set(address, ofAddress + 1);
    return undefined;
  });
}

/** Counts the slots of these connections. */
export function countSlots(held: Iterable<SlotClaim>): UsedSlots {
  let inAll = 0;
  const byAgent = new Map<string, number>();
  const byAddress = new Map<string, number>();
  for (const { agentId, address } of held) {
    inAll += 1;
    byAgent.set(agentId, (byAgent.get(agentId) ?? 0) + 1);
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
  }
  return { inAll, byAgent, byAddress };
}

/**
 * The limit of an address without a setting of its own: half of all connections,
 * and at least those of one agent.
 */
export function shareOfAddress({ perAgent, inAll }: Pick<SlotLimits, 'perAgent' | 'inAll'>): number {
  return inAll === 0 ? 0 : Math.max(Math.ceil(inAll / 2), perAgent);
}
