import { sql } from 'kysely';
import type { PageSource } from '../store/store.ts';
import { emptyGramSample, type GramSample } from './gram-choice.ts';
import { extractGrams, markAsSpecialty } from './search-text.ts';

const sampledTexts = 500;
const freshMs = 3_600_000;

interface Sampling {
  sample: GramSample;
  readonly startedMs: number;
}

const samplings = new WeakMap<object, Sampling>();

/**
 * Returns a sample of how common grams are in a database with `texts` texts. No caller waits for it: it is empty until
 * the first sample is complete, and it is renewed every hour.
 */
export function getGramSample(source: PageSource, texts: number): GramSample {
  const known = samplings.get(source);
  if (known !== undefined && performance.now() - known.startedMs < freshMs) return known.sample;
  const sampling: Sampling = { sample: known?.sample ?? emptyGramSample, startedMs: performance.now() };
  samplings.set(source, sampling);
  sampleGrams(source, texts).then(
    (sample) => {
      sampling.sample = sample;
    },
    // If sampling fails, searches use the previous sample for another hour.
    () => undefined,
  );
  return sampling.sample;
}

/** Counts the grams, joints and specialty grams of texts on random pages of the table. */
async function sampleGrams(source: PageSource, texts: number): Promise<GramSample> {
  const percent = Math.min(100, (100 * sampledTexts) / Math.max(1, texts));
  const { rows } = await source.read((reader) =>
    sql<{ readonly text: string; readonly specialty: string | null }>`
      select text, specialty from search_texts tablesample system (${percent}::real) limit ${sampledTexts}`.execute(
      reader,
    ),
  );
  const counts = new Map<number, number>();
  for (const { text, specialty } of rows) {
    const { grams, joints } = extractGrams(text);
    const ofSpecialty = markAsSpecialty(extractGrams(specialty ?? '').grams);
    for (const gram of new Set([...grams, ...joints, ...ofSpecialty])) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return { texts: rows.length, counts };
}
