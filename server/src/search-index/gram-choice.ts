/** In how many texts of a sample each gram is. */
export type GramCounts = ReadonlyMap<number, number>;

/** A search reads at least so many grams, which leave few texts where each of them is rare. */
const gramsMin = 3;

/** And those that are in at most so many times the texts of the last of these. */
const reserve = 8;

/**
 * Chooses the grams that the index reads for a search: the rarest. A text that has them and not the others is
 * compared in vain, so the choice changes the time of a search and never its result.
 */
export function chooseRarest(grams: readonly number[], counts: GramCounts): readonly number[] {
  const countOf = (gram: number) => counts.get(gram) ?? 0;
  const sorted = [...grams].sort((one, other) => countOf(one) - countOf(other));
  const limit = reserve * Math.max(1, countOf(sorted[gramsMin - 1] ?? 0));
  return sorted.filter((gram, index) => index < gramsMin || countOf(gram) <= limit);
}
