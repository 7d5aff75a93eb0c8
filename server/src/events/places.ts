/** A connection that asks for a place. */
export interface Claim {
  readonly id: string;
  readonly agentId: string;
}

/** How many connections there may be; 0 is switched off. */
export interface PlaceLimits {
  readonly perAgent: number;
  readonly inAll: number;
}

/** Places that are taken by living connections. */
export interface TakenPlaces {
  readonly inAll: number;
  readonly byAgent: ReadonlyMap<string, number>;
}

/** Tells which claims fit, in the order in which they came. */
export function admitClaims(claims: readonly Claim[], taken: TakenPlaces, limits: PlaceLimits): readonly Claim[] {
  let inAll = taken.inAll;
  const byAgent = new Map(taken.byAgent);
  return claims.filter(({ agentId }) => {
    const own = byAgent.get(agentId) ?? 0;
    if (limits.inAll !== 0 && inAll >= limits.inAll) return false;
    if (limits.perAgent !== 0 && own >= limits.perAgent) return false;
    inAll += 1;
    byAgent.set(agentId, own + 1);
    return true;
  });
}
