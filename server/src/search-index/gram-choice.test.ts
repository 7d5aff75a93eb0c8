import { describe, expect, it } from 'vitest';
import { chooseRarest } from './gram-choice.ts';
import { gramsToFind } from './search-text.ts';

describe('the grams that the index reads for a search', () => {
  it('are the rarest three, and others that are not much more common', () => {
    const counts = new Map([
      ...[1, 2, 3].map((gram): [number, number] => [gram, gram]),
      ...([
        [4, 24],
        [5, 25],
        [6, 450],
      ] as const),
    ]);
    expect(chooseRarest([6, 5, 4, 3, 2, 1], counts)).toEqual([1, 2, 3, 4]);
  });

  it('count an unseen gram as the rarest', () => {
    const counts = new Map([
      [10, 9],
      [11, 8],
      [12, 400],
    ]);
    expect(chooseRarest([12, 10, 11, 1, 2, 3], counts)).toEqual([1, 2, 3, 11]);
  });

  it('are all of a short search, however common', () => {
    const counts = new Map([
      [1, 500],
      [2, 400],
      [3, 1],
    ]);
    expect(new Set(chooseRarest([1, 2, 3], counts))).toEqual(new Set([1, 2, 3]));
    expect(chooseRarest([], counts)).toEqual([]);
  });

  it('are all grams before the first sample', () => {
    const grams = gramsToFind('a_handle_like_this');
    expect(chooseRarest(grams, new Map())).toEqual(grams);
  });
});
