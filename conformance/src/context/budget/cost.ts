/** The cost of a check that only reads. */
export const noCost = {
  /** POST, PATCH and DELETE requests, including refused requests. */
  writes: 0,
  contactRequests: 0,
  messages: 0,
  uploads: 0,
  /** Credits that the agents of the check must have before it begins. */
  creditsMinor: 0,
  /** Concurrent event connections. */
  sockets: 0,
  /** How many seconds the check itself waits, apart from pacing. */
  seconds: 0,
};

/** An upper bound of the requests that a check sends, apart from reads. */
export type Cost = Readonly<typeof noCost>;

export const costNames = Object.keys(noCost) as readonly (keyof Cost)[];

/** Adds the costs of checks in sequence, but uses the maximum of `sockets`, because each check closes its own. */
export function sumCosts(costs: readonly Partial<Cost>[]): Cost {
  const total = { ...noCost };
  for (const cost of costs) {
    for (const name of costNames) {
      const count = cost[name] ?? 0;
      Object.assign(total, { [name]: name === 'sockets' ? Math.max(total.sockets, count) : total[name] + count });
    }
  }
  return total;
}
