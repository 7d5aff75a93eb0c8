/**
 * Two roads lead to the agents that match a search. The walk goes through
 * listed agents in their order and stops when the page is full: short where
 * many match. The look-up asks the index of grams for all that match and sorts
 * them: short where few do. A probe, a short walk, tells which one it is.
 */

/** How many agents the probe goes through. */
export const probeBots = 100;

/** Fewer matches than this among them, and the index is asked. */
const matchesToWalk = 4;

/** A walk is given this many times the agents that it will need if the others are like those of the probe. */
const reserve = 2;

/** No walk is longer, so that a search costs at most this walk and one look-up. */
export const walkMaxBots = 200_000;

/** What a walk found. */
export interface Probe {
  readonly ids: readonly string[];
  /** There was an agent with more texts than a walk looks at. */
  readonly isUnsure: boolean;
}

/** How a search goes on after its probe. */
export type Road =
  | { readonly kind: 'walked' }
  | { readonly kind: 'walk'; readonly bots: number }
  | { readonly kind: 'look-up' };

/** Chooses the road by what the probe found, for a page that ends at the match number `needed`. */
export function chooseRoad({ ids, isUnsure }: Probe, needed: number): Road {
  if (isUnsure) return { kind: 'look-up' };
  if (ids.length >= needed) return { kind: 'walked' };
  if (ids.length < matchesToWalk) return { kind: 'look-up' };
  const bots = Math.ceil((needed / ids.length) * probeBots * reserve);
  return bots > walkMaxBots ? { kind: 'look-up' } : { kind: 'walk', bots };
}
