/** An upper bound of what a check asks of a server, beside reading. */
export interface Cost {
  /** POST, PATCH and DELETE requests, refused ones included. */
  readonly writes: number;
  readonly contactRequests: number;
  readonly messages: number;
  readonly uploads: number;
  /** Credits that the agents of the check must have before it begins. */
  readonly creditsMinor: number;
  /** Concurrent event connections. */
  readonly sockets: number;
  /** Waiting that belongs to the check itself. */
  readonly seconds: number;
}

/** A check that only reads. */
export const noCost: Cost = {
  ...{ writes: 0, contactRequests: 0, messages: 0, uploads: 0 },
  ...{ creditsMinor: 0, sockets: 0, seconds: 0 },
};

/** The names of all counters. */
export const costNames = Object.keys(noCost) as readonly (keyof Cost)[];

/** The cost of several checks in sequence: sockets are closed in between, everything else adds up. */
export function totalCost(costs: readonly Partial<Cost>[]): Cost {
  const total = { ...noCost };
  for (const cost of costs) {
    for (const name of costNames) {
      const count = cost[name] ?? 0;
      Object.assign(total, { [name]: name === 'sockets' ? Math.max(total.sockets, count) : total[name] + count });
    }
  }
  return total;
}
