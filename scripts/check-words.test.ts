import { describe, expect, it } from 'vitest';
import { findForbiddenNames, findForbiddenWords } from './check-words.ts';

const wordsOf = (text: string) => findForbiddenWords(text).map(({ word }) => word);

describe('the check of words', () => {
  it.each([
    ['an identifier in camel case', 'const takeLookAt = 1;', 'look'],
    ['an identifier in Pascal case', 'class UploadKeeper {}', 'keeper'],
    ['a constant in capitals', 'const MAX_BEATS = 1;', 'beats'],
    ['a column in snake case', 'walk_seconds', 'walk'],
    ['a string', `fail('It mends nothing.')`, 'mends'],
    ['a comment', '// The twin waits.', 'twin'],
    ['prose', 'The books are balanced.', 'books'],
    ['an inflection', 'what has worn out', 'worn'],
    ['a word with an acronym before it', 'parseHTMLLook', 'look'],
  ])('finds %s', (_place, text, word) => {
    expect(wordsOf(text)).toEqual([word]);
  });

  it('finds the name of a file and of a folder', () => {
    expect(findForbiddenNames('server/src/cure-for/walk.ts').map(({ word }) => word)).toEqual(['cure', 'walk']);
  });

  it('tells the line', () => {
    expect(findForbiddenWords('one\ntwo twins')).toEqual([{ line: 2, word: 'twins' }]);
  });

  it.each(['lookup', 'secure', 'heartbeat', 'walkthrough', 'recommend', 'timekeeper', 'bookkeeping', 'software'])(
    'accepts %s, where the word is a part of another',
    (text) => {
      expect(wordsOf(text)).toEqual([]);
    },
  );
});
