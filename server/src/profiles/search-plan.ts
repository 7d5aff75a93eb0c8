/**
 * Two query plans can find the agents that match a search. A scan reads listed agents in order and stops when the
 * page is full, which is fast if many match. The gram index finds all matches and sorts them, which is fast if few
 * match. A sample, that is, a short scan, shows which plan is faster.
 */

/** How many agents the sample reads. */
export const searchSampleSize = 100;

/**
 * If the sample has too few matches, the index is used for a word with at most this many matches; for any other word,
 * a larger sample decides between the plans.
 */
export const [rareMatchesMax, largeSampleBots] = [5_000, 1_000];

/** If more texts than this probably contain the chosen grams, the word is frequent, and a larger sample is faster. */
const expectedMax = 15_000;

/** With fewer agents than this, a sample misses so few matches that the index finds them quickly with any grams. */
const fewBots = 20_000;

/** The maximum number of an agent's texts that a scan reads; the index covers agents with more. */
export const textsPerBotMax = 200;

/** With fewer matches than this in the sample, the index is used. */
const matchesToScan = 2;

/** A scan of at most this many agents is always the faster plan. */
const shortScanBots = 2_000;

/** An agent found by the index costs as much as this many scanned agents: each matching text is found and sorted. */
const indexWeight = 2;

/** A scan may read this many times the number of agents that the sample predicts. */
const reserve = 2;

/** The maximum number of agents that a scan reads; a search costs at most one such scan and one index query. */
export const scanMaxBots = 200_000;

export interface SearchSample {
  /** The number of agents read. It is below the sample size only if no more agents exist. */
  readonly sampled: number;
  /** The number of sampled agents whose specialty matches. */
  readonly fitting: number;
  /** The number of sampled agents with a text that matches `q`. */
  readonly matching: number;
  /** The number of sampled agents that match both. */
  readonly found: number;
  /** Whether an agent with a matching specialty has more texts than a scan reads, so that an unread text may match. */
  readonly is_unsure: boolean;
  /** The planner's estimate of the number of agents; -1 before the first statistics. */
  readonly all_bots: number;
}

/** How a search continues when the sample did not fill the page. */
type SearchPlan = { readonly kind: 'scan'; readonly bots: number } | { readonly kind: 'index' };

/** Whether the sample covers the page that ends at match number `needed`, or all agents. */
export function coversPage({ sampled, found, is_unsure }: SearchSample, needed: number): boolean {
  return !is_unsure && (sampled < searchSampleSize || found >= needed);
}

/** Whether a sample has too few matches to estimate their share, while a wrong plan would read many texts. */
export function isSampleTooSmall({ fitting, matching, is_unsure, all_bots }: SearchSample): boolean {
  return !is_unsure && Math.min(fitting, matching) < matchesToScan && isLargeDatabase({ all_bots });
}

/** Whether the database has so many agents that it matters which grams the index reads. */
export function isLargeDatabase({ all_bots }: Pick<SearchSample, 'all_bots'>): boolean {
  return all_bots > fewBots;
}

/** Whether a word may be rare if this many texts are expected to contain its grams. */
export function isPossiblyRare(expectedTexts: number): boolean {
  return expectedTexts <= expectedMax;
}

/**
 * Chooses the plan for a page that ends at match number `needed`. If the number of agents is underestimated, the index
 * is favoured.
 */
export function chooseSearchPlan(sample: SearchSample, needed: number): SearchPlan {
  const { sampled, found, fitting, matching, is_unsure, all_bots } = sample;
  if (is_unsure || Math.min(fitting, matching) < matchesToScan) return { kind: 'index' };
  // If few agents in the sample match both terms, the product of the two shares is a better estimate.
  const share = Math.max(found / sampled, (fitting / sampled) * (matching / sampled));
  const bots = Math.ceil((needed / share) * reserve);
  const isShorter = needed / share <= Math.max(shortScanBots, share * all_bots * indexWeight);
  return isShorter && bots <= scanMaxBots ? { kind: 'scan', bots } : { kind: 'index' };
}

export function chooseIndexedTerm({ matching, fitting }: SearchSample): 'q' | 'specialty' {
  return matching <= fitting ? 'q' : 'specialty';
}
