/** What a check asks of a server at most, beside reading. */
export interface Cost {
  /** Changes: POST, PATCH and DELETE, those that are refused included. */
  readonly writes: number;
  readonly contactRequests: number;
  readonly messages: number;
  readonly uploads: number;
  /** Credits that the agents of the check must have between them before it begins. */
  readonly creditsMinor: number;
  /** Event connections that are open at the same time. */
  readonly sockets: number;
  /** Waiting that belongs to the check itself. */
  readonly seconds: number;
}

/** The names of all that is counted. */
export const costNames = [
  ...(['writes', 'contactRequests', 'messages', 'uploads'] as const),
  ...(['creditsMinor', 'sockets', 'seconds'] as const),
] as const;

/** Reading alone. */
export const noCost: Cost = {
  writes: 0,
  contactRequests: 0,
  messages: 0,
  uploads: 0,
  creditsMinor: 0,
  sockets: 0,
  seconds: 0,
};

/** What several checks cost one after the other: sockets are closed in between, the rest adds up. */
export function totalCost(costs: readonly Partial<Cost>[]): Cost {
  const sum = (name: keyof Cost) => costs.reduce((total, cost) => total + (cost[name] ?? 0), 0);
  return {
    writes: sum('writes'),
    contactRequests: sum('contactRequests'),
    messages: sum('messages'),
    uploads: sum('uploads'),
    creditsMinor: sum('creditsMinor'),
    sockets: Math.max(0, ...costs.map(({ sockets }) => sockets ?? 0)),
    seconds: sum('seconds'),
  };
}
