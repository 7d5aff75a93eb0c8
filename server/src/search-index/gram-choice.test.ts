import { describe, expect, it } from 'vitest';
import { chooseGrams, emptyGramSample, type GramSample } from './gram-choice.ts';
import { gramsToFind } from './search-text.ts';

/** Returns a sample of 1,000 texts; `counts` is the number of texts that contain each gram. */
function sampleOf(counts: Readonly<Record<number, number>>): GramSample {
  return { texts: 1_000, counts: new Map(Object.entries(counts).map(([gram, count]) => [Number(gram), count])) };
}

describe('the grams that the index reads for a search', () => {
  it('are the rarest, each of which saves more comparisons than its entries cost', () => {
    // Of a million texts, 100,000, 31,623, 10,000 and 3,162 are expected to remain. The fourth gram saves about 6,800
    // comparisons for 100,000 entries, and the fifth 2,100 for 400,000.
    const sample = sampleOf({ 1: 100, 2: 100, 3: 100, 4: 100, 5: 400 });
    expect(chooseGrams([5, 4, 3, 2, 1], [], sample).grams).toEqual([4, 3, 2, 1]);
  });

  it('are few if a joint leaves few texts', () => {
    expect(chooseGrams([1, 2, 3], [4], sampleOf({ 1: 90, 2: 260, 3: 300, 4: 8 }))).toMatchObject({
      grams: [1],
      joints: [4],
    });
  });

  it('have an expected share of texts that contain them', () => {
    const { share } = chooseGrams([1, 2], [], sampleOf({ 1: 40, 2: 250 }));
    expect(share).toBeCloseTo(0.04 * 0.5);
    expect(chooseGrams([1, 2], [], emptyGramSample).share).toBe(0);
  });

  it('count an unseen gram as rarer than any other', () => {
    expect(chooseGrams([10, 11, 1, 2, 3], [], sampleOf({ 10: 1, 11: 1 })).grams).toEqual([1, 2, 3]);
  });

  it('include all that are missing in the sample, because a frequent beginning of a word may be among them', () => {
    const grams = gramsToFind('acmebot_zqxjk');
    expect(chooseGrams(grams, [], sampleOf({})).grams).toEqual(grams);
  });

  it('include at least one, however common', () => {
    expect(chooseGrams([1], [], sampleOf({ 1: 1_000 }))).toEqual({ grams: [1], joints: [], share: 1 });
    expect(chooseGrams([], [1], sampleOf({ 1: 1_000 })).joints).toEqual([1]);
    expect(chooseGrams([], [], sampleOf({})).grams).toEqual([]);
  });

  it('are all grams before the first sample', () => {
    const grams = gramsToFind('a_handle_like_this');
    expect(chooseGrams(grams, [7], emptyGramSample)).toEqual({ grams, joints: [7], share: 0 });
  });
});
