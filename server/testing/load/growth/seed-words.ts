import type { SeededRandom } from '../../order-model/random.ts';

const syllables =
  'ba be bi bo da de di do fa fe ga go ka ke ki la le li lo ma me mi mo na ne ni no pa po ra re ri ro sa se si so ta te ti to va ve vi za ze'.split(
    ' ',
  );

/** Returns the most frequent word first. The same seed yields the same words on every machine. */
export function makeSeedWords({ pick }: SeededRandom): readonly string[] {
  return Array.from({ length: 20_000 }, (_, rank) =>
    Array.from({ length: 2 + (rank > 400 ? 1 : 0) + (rank > 8_000 ? 1 : 0) }, () => pick(syllables)).join(''),
  );
}

/** Ranks of words that occur in about a third, in a hundredth, and in only a few of a million texts. */
export const wordRanks = { common: 0, ordinary: 300, rare: 15_000 };
