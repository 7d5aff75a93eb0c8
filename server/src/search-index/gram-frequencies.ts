import { sql } from 'kysely';
import type { PageSource } from '../store/store.ts';
import { indexText } from './search-text.ts';

/** In how many texts of a sample each gram is. */
export type GramCounts = ReadonlyMap<number, number>;

const sampledTexts = 500;
const freshMs = 3_600_000;

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

interface Sampling {
  counts: GramCounts;
  readonly startedMs: number;
}

const samplings = new WeakMap<object, Sampling>();

/**
 * Tells how common grams are in a database with so many texts. No caller waits for the sample: there are no counts
 * before the first, which is taken again every hour.
 */
export function knownCounts(source: PageSource, texts: number): GramCounts {
  const known = samplings.get(source);
  if (known !== undefined && performance.now() - known.startedMs < freshMs) return known.counts;
  const sampling: Sampling = { counts: known?.counts ?? new Map(), startedMs: performance.now() };
  samplings.set(source, sampling);
  sampleGrams(source, texts).then(
    (counts) => {
      sampling.counts = counts;
    },
    // Searches read all grams until the next sample.
    () => undefined,
  );
  return sampling.counts;
}

/** Counts the grams of some texts on random pages of the table. */
export async function sampleGrams(source: PageSource, texts: number): Promise<GramCounts> {
  const percent = Math.min(100, (100 * sampledTexts) / Math.max(1, texts));
  const { rows } = await source.read((reader) =>
    sql<{ readonly text: string }>`
      select text from search_texts tablesample system (${percent}::real) limit ${sampledTexts}`.execute(reader),
  );
  const counts = new Map<number, number>();
  for (const { text } of rows) {
    for (const gram of indexText(text).grams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
