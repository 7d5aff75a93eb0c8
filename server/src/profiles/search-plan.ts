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
const matchesToWalk = 2;

/** A walk of so few agents is always worth it. */
const shortWalkBots = 2_000;

/** An agent that is looked up costs so many walked ones, as each of its matching texts is found and sorted. */
const lookUpWeight = 2;

/** A walk is given this many times the agents that it will need if the others are like those of the probe. */
const reserve = 2;

/** No walk is longer, so that a search costs at most this walk and one look-up. */
export const walkMaxBots = 200_000;

/** What the probe saw. */
export interface Probe {
  /** How many agents it went through; fewer than `probeBots` only where there are no more. */
  readonly probed: number;
  /** Agents whose specialty is one that is looked for. */
  readonly fitting: number;
  /** Agents with a text that matches `q`. */
  readonly matching: number;
  /** Agents of whom both is true: matches of the search. */
  readonly found: number;
  /** Somebody who fits has more texts than a walk looks at, so that another one may match. */
  readonly is_unsure: boolean;
  /** The database's own idea of how many agents there are; -1 where it has none yet. */
  readonly all_bots: number;
}

/** How a search goes on when its probe did not fill the page. */
export type Road = { readonly kind: 'walk'; readonly bots: number } | { readonly kind: 'look-up' };

/** Tells whether the probe saw the whole page that ends at the match number `needed`, or everybody there is. */
export function isEnough({ probed, found, is_unsure }: Probe, needed: number): boolean {
  return !is_unsure && (probed < probeBots || found >= needed);
}

/**
 * Chooses the road by what the probe saw, for a page that ends at the match
 * number `needed`. Too small an idea of how many agents there are leads to the
 * index sooner.
 */
export function chooseRoad({ found, is_unsure, all_bots }: Probe, needed: number): Road {
  if (is_unsure || found < matchesToWalk) return { kind: 'look-up' };
  const share = found / probeBots;
  const bots = Math.ceil((needed / share) * reserve);
  const isWorthIt = needed / share <= Math.max(shortWalkBots, share * all_bots * lookUpWeight);
  return isWorthIt && bots <= walkMaxBots ? { kind: 'walk', bots } : { kind: 'look-up' };
}

/** Which of two searches is looked up: the one that fewer of the probed agents match. */
export function chooseLookUp({ matching, fitting }: Probe): 'q' | 'specialty' {
  return matching <= fitting ? 'q' : 'specialty';
}
