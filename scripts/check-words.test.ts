import { describe, expect, it } from 'vitest';
import { countPhrases, findPhraseIncreases } from './check-words.ts';
import { computeGrade, extractProse, splitSentences } from './readability.ts';

const found = (text: string) => [...countPhrases(text)].filter(([, count]) => count > 0);

describe('the count of phrases', () => {
  it.each([
    [
      'a comment',
      '// Nobody is told.',
      [
        ['nobody', 1],
        ['told', 1],
      ],
    ],
    ['a name in code', 'const held = 1; hold(held);', [['held', 2]]],
    ['a phrase over two lines of a comment', ' * a process of\n * its own', [['of its own', 1]]],
    ['a phrase around a word', 'a code lets agents in', [['lets in', 1]]],
  ])('counts %s', (_place, text, counts) => {
    expect(found(text)).toEqual(counts);
  });

  it.each(['upheld', 'furthermore', 'withheld', 'heldLocks', 'lets it into', 'stand-alone'])(
    'leaves %s out',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );

  it('reports a phrase that occurs more often than in the baseline', () => {
    const counts = countPhrases('told, held, held');
    expect(findPhraseIncreases(counts, { told: 1, held: 1 })).toEqual([
      '"held" occurs 2 times, at most 1: name the subject or the verb.',
    ]);
  });
});

describe('the readability of a page', () => {
  it('is computed from its prose', () => {
    const page = '---\ntitle: x\n---\n# Title\n\nSend the order. Then `wait` for it.\n\n```sh\nls\n```\n\n| a | b |\n';
    expect(splitSentences(extractProse(page))).toEqual([
      ['Send', 'the', 'order'],
      ['Then', 'code', 'for', 'it'],
    ]);
  });

  it('has a grade that grows with the length of words and sentences', () => {
    const short = computeGrade(splitSentences('The cat sat. The dog ran off.'));
    const long = computeGrade(
      splitSentences('The administration of international organizations is unnecessarily complicated.'),
    );
    expect(short.wordsPerSentence).toBe(3.5);
    expect(short.grade).toBeLessThan(2);
    expect(long.grade).toBeGreaterThan(15);
  });
});
