import { describe, expect, it } from 'vitest';
import { extractGrams, foldCase, foldFields, gramsToFind, jointsToFind, markAsSpecialty } from './search-text.ts';

function* codePoints(): Generator<string> {
  for (let point = 1; point <= 0x10ffff; point += 1) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

describe('folding case', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['273 \u212a', '273 K'],
    ['\u212bngström', 'Ångström'],
    ['DŽ', 'dž'],
    ['ﬁn', 'FIN'],
    ['ſ', 'S'],
    ['Кириллица', 'КИРИЛЛИЦА'],
    ['ısı', 'ISI'],
    ['\u{10400}', '\u{10428}'],
  ])('makes %j and %j equal', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });

  it.each([
    ['é', 'e'],
    ['é', 'e\u0301'],
    ['İ', 'i'],
    ['日本', '日木'],
  ])('keeps %j and %j different', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other));
  });

  it('preserves parts of a word, even if the last letter has a final form', () => {
    expect(foldCase('ΣΑΣΑ')).toContain(foldCase('ΣΑΣ'));
  });

  it('unifies every code point with its upper and lower case, is idempotent, and leaves no capital A', () => {
    const wrong: string[] = [];
    for (const character of codePoints()) {
      const folded = foldCase(character);
      if (foldCase(character.toLowerCase()) !== folded || foldCase(character.toUpperCase()) !== folded) {
        wrong.push(`${character} and its other case`);
      }
      if (foldCase(folded) !== folded || folded.includes('A')) wrong.push(character);
    }

    expect(wrong).toEqual([]);
  });

  it('prevents matches across two fields', () => {
    const text = foldFields(['sea', 'Charts']);

    expect(text).toContain(foldCase('CHARTS'));
    for (const across of ['ac', 'sea charts', 'seacharts', 'seaAcharts', 'aa']) {
      expect(text).not.toContain(foldCase(across));
    }
  });
});

describe('grams', () => {
  const text = 'Übergrößen 日本語 🦊🦊 100 % _x\\y "q" Ünïcödé';

  it('of every part of a text are among those of the text', () => {
    const points = [...text];
    const all = new Set(extractGrams(foldFields([text])).grams);
    for (let start = 0; start < points.length; start += 1) {
      for (let end = start + 1; end <= points.length; end += 1) {
        const part = points.slice(start, end).join('');
        for (const gram of gramsToFind(foldCase(part))) expect(all.has(gram), part).toBe(true);
      }
    }
  });

  it.each(['z', 'zq', '語本', '🦊日', '語日本', 'ber%'])('of %j, which is no part of it, are not', (part) => {
    const all = new Set(extractGrams(foldFields([text])).grams);

    expect(gramsToFind(foldCase(part)).every((gram) => all.has(gram))).toBe(false);
  });

  it('rarely share a number', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789 _.äöüßжы'];
    const runs = letters.flatMap((one) => letters.flatMap((two) => letters.map((three) => one + two + three)));
    const numbers = new Set(runs.flatMap((run) => gramsToFind(run)));

    expect(numbers.size).toBeGreaterThan(runs.length * 0.999);
  });

  it('around a space are also those of the text, but of no search across two fields', () => {
    const spaced = 'ab cd efg  hi 日本 語x y z';
    const points = [...spaced];
    const all = new Set(extractGrams(foldFields(['x ab', spaced])).joints);
    for (let start = 0; start < points.length; start += 1)
      for (let end = start + 1; end <= points.length; end += 1)
        for (const joint of jointsToFind(points.slice(start, end).join(''))) expect(all.has(joint)).toBe(true);

    expect(jointsToFind('ab cd').length).toBe(1);
    expect(jointsToFind('b cd')).toEqual([]);
    expect(jointsToFind('xb cd').every((joint) => all.has(joint))).toBe(false);
    expect(extractGrams(foldFields(['ab ', 'cd'])).joints).toEqual([]);
  });

  it('of a specialty differ from those of a text', () => {
    const { grams } = extractGrams('painter');
    expect(markAsSpecialty(grams).some((gram) => grams.includes(gram))).toBe(false);
  });

  it('fit an int4', () => {
    for (const gram of extractGrams(text).grams) expect(gram).toBe(gram | 0);
  });
});
