/**
 * Two roads lead to the agents that match a search. The walk goes through
 * listed agents in their order and stops when the page is full: short where
 * many match. The look-up asks the index of grams for all that match and sorts
 * them: short where few do. A probe, a short walk, tells which one it is.
 */

/** How many agents the probe goes through. */
export const probeBots = 100;

/** The most texts of one agent that a walk looks at; one with more has to be looked up. */
export const textsPerBot = 200;

/** Fewer matches than this among the probed, and the index is asked. */
const matchesToWalk = 4;

/** A walk of so few agents is always worth it. */
const shortWalkBots = 2_000;

/** An agent that is looked up costs so many walked ones, as each of its matching texts is found and sorted. */
const lookUpWeight = 2;

/** A walk is given this many times the agents that it will need if the others are like those of the probe. */
const reserve = 2;

/** No walk is longer, so that a search costs at most this walk and one look-up. */
export const walkMaxBots = 200_000;

/** What a walk saw of one agent. */
export interface Looked {
  readonly id: string;
  /** The specialty is one that is looked for. */
  readonly fits: boolean;
  /** A text matches `q`. */
  readonly matches: boolean;
  /** There are more texts than a walk looks at, so another one may match. */
  readonly has_more: boolean;
}

/** How a search goes on after its probe. */
export type Road =
  /** The probe was enough: the ids of the matches in their order. */
  | { readonly kind: 'walked'; readonly ids: readonly string[] }
  | { readonly kind: 'walk'; readonly bots: number }
  | { readonly kind: 'look-up' };

/**
 * Chooses the road by what the probe saw, for a page that ends at the match
 * number `needed`. `allBots` is about how many agents there are; too small a
 * number leads to the index sooner.
 */
export function chooseRoad(probed: readonly Looked[], needed: number, allBots: number): Road {
  const fitting = probed.filter(({ fits }) => fits);
  const found = fitting.filter(({ matches }) => matches);
  if (fitting.some(({ matches, has_more }) => has_more && !matches)) return { kind: 'look-up' };
  const isEverybody = probed.length < probeBots;
  if (isEverybody || found.length >= needed) {
    return { kind: 'walked', ids: found.slice(0, needed).map(({ id }) => id) };
  }
  if (found.length < matchesToWalk) return { kind: 'look-up' };
  const share = found.length / probeBots;
  const bots = Math.ceil((needed / share) * reserve);
  const isWorthIt = needed / share <= Math.max(shortWalkBots, share * allBots * lookUpWeight);
  return isWorthIt && bots <= walkMaxBots ? { kind: 'walk', bots } : { kind: 'look-up' };
}

/** Which of two searches is looked up: the one that fewer of the probed agents match. */
export function chooseLookUp(probed: readonly Looked[]): 'q' | 'specialty' {
  const matching = probed.filter(({ matches }) => matches).length;
  const fitting = probed.filter(({ fits }) => fits).length;
  return matching <= fitting ? 'q' : 'specialty';
}
