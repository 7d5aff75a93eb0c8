import { expect, it } from 'vitest';
import { foldFields, gramsOf } from './0002-search-text.ts';

it('folds and cuts text as it did when the migration landed', () => {
  const folded = foldFields(['Aß', '本🦊']);

  expect(folded).toBe('assA本🦊');
  expect(gramsOf(folded)).toEqual([
    -980_277_455, -789_277_443, -869_669_293, 66_924_102, -944_513_342, -1_571_294_286, -279_774_459, 1_428_080_501,
  ]);
});
