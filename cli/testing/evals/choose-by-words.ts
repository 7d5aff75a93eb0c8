export interface Candidate {
  readonly title: string;
}

/** Words that do not distinguish candidates. */
const empty = new Set('a an the to of for with and or it its you your that this is be on in by'.split(' '));
const enough = 0.5;

/** Chooses the title that shares the most words with a sentence, weighted by rarity; undefined if it shares too few. */
export function chooseByWords<T extends Candidate>(sentence: string, candidates: readonly T[]): T | undefined {
  const titles = candidates.map(({ title }) => wordsOf(title));
  const weigh = (word: string) => {
    const count = titles.filter((words) => words.has(word)).length;
    return count === 0 ? 1 : Math.log(1 + candidates.length / count);
  };
  const weight = (words: Iterable<string>) => [...words].map(weigh).reduce((sum, one) => sum + one, 0);
  const wanted = wordsOf(sentence);
  const scores = titles.map((words) => {
    const common = weight([...wanted].filter((word) => words.has(word)));
    return { covered: common / weight(wanted), extra: weight(words) - common };
  });
  const [best] = scores
    .map((score, index) => ({ ...score, candidate: candidates[index] }))
    .toSorted((a, b) => b.covered - a.covered || a.extra - b.extra);
  return best !== undefined && best.covered >= enough ? best.candidate : undefined;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return new Set(words.filter((word) => !empty.has(word)).map((word) => word.replace(/(ing|ed|es|s|e)$/, '')));
}
