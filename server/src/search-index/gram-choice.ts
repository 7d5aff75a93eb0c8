/** A sample of texts, with the number of texts that contain each gram; empty before the first sample. */
export interface GramSample {
  readonly texts: number;
  readonly counts: ReadonlyMap<number, number>;
}

export const emptyGramSample: GramSample = { texts: 0, counts: new Map() };

export interface ChosenGrams {
  readonly grams: readonly number[];
  readonly joints: readonly number[];
  /** The expected share of texts that contain all of them; 0 before the first sample. */
  readonly share: number;
}

/** Comparing a text found by the index takes as long as reading this many index entries. */
const comparisonWeight = 150;

/** A gram that occurs in no sampled text counts as if it occurred in this many of them. */
const unseen = 0.5;

/**
 * Chooses the grams that the index reads for a search: in order of rarity, as long as the next gram saves more
 * comparisons than its entries cost. Texts that contain the grams but do not match are compared needlessly, so the
 * choice affects the duration of a search but never its result. The first gram leaves its share of the texts. Grams
 * often occur in the same texts, so each additional one is expected to leave the square root of its share. Grams
 * missing in the sample are all read, because some of them may only belong to a frequent beginning of a word.
 */
export function chooseGrams(grams: readonly number[], joints: readonly number[], sample: GramSample): ChosenGrams {
  if (sample.texts === 0) return { grams, joints, share: 0 };
  const shareOf = (gram: number) => (sample.counts.get(gram) ?? unseen) / sample.texts;
  const [first, ...others] = [...grams, ...joints].sort((one, other) => shareOf(one) - shareOf(other));
  if (first === undefined) return { grams, joints, share: 1 };
  const chosen = new Set([first]);
  let share = shareOf(first);
  for (const gram of others) {
    const left = share * Math.sqrt(shareOf(gram));
    if (sample.counts.has(gram) && (share - left) * comparisonWeight < shareOf(gram)) break;
    chosen.add(gram);
    share = left;
  }
  const isChosen = (gram: number) => chosen.has(gram);
  return { grams: grams.filter(isChosen), joints: joints.filter(isChosen), share };
}
