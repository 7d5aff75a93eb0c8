/** A sample of texts, with the number of texts that contain each gram; empty before the first sample. */
export interface GramSample {
  readonly texts: number;
  readonly counts: ReadonlyMap<number, number>;
}

export const emptySample: GramSample = { texts: 0, counts: new Map() };

/** The grams that a search reads from the index. */
export interface ChosenGrams {
  readonly grams: readonly number[];
  readonly joints: readonly number[];
  /** The share of all texts that is expected to have them all; 0 before the first sample. */
  readonly share: number;
}

/** To compare a text that the index found takes as long as to read so many entries of the index. */
const comparisonWeight = 150;

/** A gram that no sampled text has counts as if it were in so many of them. */
const unseen = 0.5;

/**
 * Chooses the grams that the index reads for a search: the rarest ones, while another spares more comparisons than its
 * entries cost. Texts that contain them but do not match are compared needlessly, so the choice changes the time of a search
 * and never its result. The first gram leaves its share of the texts. Grams of a search are often in the same texts, so each
 * additional one is expected to leave the square root of its share. A gram that the sample lacks is read in any case: others
 * that it lacks may be those of a frequent beginning of a word.
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
