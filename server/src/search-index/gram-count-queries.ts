import { sql } from 'kysely';
import type { PageSource } from '../store/store.ts';
import type { GramCounts } from './gram-choice.ts';
import { indexText } from './search-text.ts';

const sampledTexts = 500;
const freshMs = 3_600_000;

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
async function sampleGrams(source: PageSource, texts: number): Promise<GramCounts> {
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
