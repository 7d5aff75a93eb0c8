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
  return claims.map(({ agentId }) => {
    const ofAgent = byAgent.get(agentId) ?? 0;
    if (limits.perAgent !== 0 && ofAgent >= limits.perAgent) return 'perAgent';
    if (limits.inAll !== 0 && inAll >= limits.inAll) return 'inAll';
    inAll += 1;
    byAgent.set(agentId, ofAgent + 1);
    return undefined;
  });
}

/** Counts the slots of these connections. */
export function countSlots(held: Iterable<SlotClaim>): UsedSlots {
  let inAll = 0;
  const byAgent = new Map<string, number>();
  for (const { agentId } of held) {
    inAll += 1;
    byAgent.set(agentId, (byAgent.get(agentId) ?? 0) + 1);
  }
  return { inAll, byAgent };
}
