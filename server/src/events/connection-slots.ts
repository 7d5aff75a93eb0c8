/** A connection that needs a slot. */
export interface SlotClaim {
  readonly id: string;
  readonly agentId: string;
}

/** The most connections; 0 means no limit. */
export interface SlotLimits {
  readonly perAgent: number;
  readonly inAll: number;
}

/** The number of slots in use. */
export interface UsedSlots {
  readonly inAll: number;
  readonly byAgent: ReadonlyMap<string, number>;
}

/** Selects the claims that fit, in their order. */
export function grantClaims(claims: readonly SlotClaim[], used: UsedSlots, limits: SlotLimits): readonly SlotClaim[] {
  let { inAll } = used;
  const byAgent = new Map(used.byAgent);
  return claims.filter(({ agentId }) => {
    const own = byAgent.get(agentId) ?? 0;
    if (limits.inAll !== 0 && inAll >= limits.inAll) return false;
    if (limits.perAgent !== 0 && own >= limits.perAgent) return false;
    inAll += 1;
    byAgent.set(agentId, own + 1);
    return true;
  });
}
