/**
 * Two query plans find the agents that match a search. A scan reads listed
 * agents in their order and stops when the page is full: short where many
 * match. The gram index finds all matches and sorts them: short where few
 * match. A sample, a short scan, tells which plan is shorter.
 */

/** How many agents the sample reads. */
export const sampleBots = 100;

/**
 * Where the sample says too little, the index finds the matches of a word that has at most so many, and a larger
 * sample decides about any other.
 */
export const [rareMatchesMax, largeSampleBots] = [5_000, 1_000];

/** If the chosen grams are expected in more texts, the word is hardly rare: a larger sample takes less time than the index. */
const expectedMax = 15_000;

/** Among fewer agents the matches that a sample misses are so few that the index finds them quickly, by any grams. */
const fewBots = 20_000;

/** The most texts of an agent that a scan reads; the index covers agents with more. */
export const textsPerBot = 200;

/** With fewer matches in the sample, the index is used. */
const matchesToScan = 2;

/** A scan of so few agents is always the shorter plan. */
const shortScanBots = 2_000;

/** An agent found by the index costs as much as so many scanned ones, because each matching text is found and sorted. */
const indexWeight = 2;

/** A scan may read this many times the agents that the sample predicts. */
const reserve = 2;

/** Upper limit of a scan, so that a search costs at most this scan and one index query. */
export const scanMaxBots = 200_000;

/** Counts of the sample. */
export interface Sample {
  /** Agents read; fewer than the size of the sample only where no more exist. */
  readonly sampled: number;
  /** Agents whose specialty matches. */
  readonly fitting: number;
  /** Agents with a text that matches `q`. */
  readonly matching: number;
  /** Agents that match both. */
  readonly found: number;
  /** An agent with a matching specialty has more texts than a scan reads, so an unread text may match. */
  readonly is_unsure: boolean;
  /** The planner's estimate of the number of agents; -1 before the first statistics. */
  readonly all_bots: number;
}

/** How a search continues when the sample did not fill the page. */
type SearchPlan = { readonly kind: 'scan'; readonly bots: number } | { readonly kind: 'index' };

/** Whether the sample covers the page that ends at match number `needed`, or all agents. */
export function coversPage({ sampled, found, is_unsure }: Sample, needed: number): boolean {
  return !is_unsure && (sampled < sampleBots || found >= needed);
}

/** Whether the matches of a sample are too few to tell their share, where a wrong plan reads many texts. */
export function isSampleTooSmall({ fitting, matching, is_unsure, all_bots }: Sample): boolean {
  return !is_unsure && Math.min(fitting, matching) < matchesToScan && isLarge({ all_bots });
}

/** Whether the database has so many agents that it matters which grams the index reads. */
export function isLarge({ all_bots }: Pick<Sample, 'all_bots'>): boolean {
  return all_bots > fewBots;
}

/** Whether a word may be rare if so many texts are expected to have its grams. */
export function isWorthTrying(expectedTexts: number): boolean {
  return expectedTexts <= expectedMax;
}

/**
 * Chooses the plan for a page that ends at match number `needed`. Too low an
 * estimate of the number of agents favours the index.
 */
export function choosePlan(sample: Sample, needed: number): SearchPlan {
  const { sampled, found, fitting, matching, is_unsure, all_bots } = sample;
  if (is_unsure || Math.min(fitting, matching) < matchesToScan) return { kind: 'index' };
  // Where the sample has few that match both, the two shares tell more.
  const share = Math.max(found / sampled, (fitting / sampled) * (matching / sampled));
  const bots = Math.ceil((needed / share) * reserve);
  const isShorter = needed / share <= Math.max(shortScanBots, share * all_bots * indexWeight);
  return isShorter && bots <= scanMaxBots ? { kind: 'scan', bots } : { kind: 'index' };
}

/** Chooses the term for the index: the one that fewer sampled agents match. */
export function chooseIndexedTerm({ matching, fitting }: Sample): 'q' | 'specialty' {
  return matching <= fitting ? 'q' : 'specialty';
}
