import { describe, expect, it } from 'vitest';
import { readParagraphs, readSpecificationPages } from '../../scripts/read-specification.ts';
import { clientRequirements } from '../client/client-requirements.ts';
import { readRequirements } from '../verdict/requirements.ts';

const paragraphs = readParagraphs();
const requirements = [...readRequirements(), ...clientRequirements];
const keyword = /\b(?:MUST NOT|MUST|SHOULD|MAY)\b/g;
const sentenceEnd = /(?<=[.:;])\s+/;

describe('the specification', () => {
  it('has at most nine pages and 10,000 words', () => {
    const words = [...readSpecificationPages().values()].join(' ').split(/\s+/);
    expect(readSpecificationPages().size).toBeLessThanOrEqual(9);
    expect(words.length).toBeLessThanOrEqual(10_000);
  });

  it('numbers its paragraphs in order, page by page', () => {
    const counts = new Map<string, number>();
    const expected = paragraphs.map(({ page }) => {
      const count = (counts.get(page) ?? 0) + 1;
      counts.set(page, count);
      return `${page[0]}.${count}`;
    });
    expect(paragraphs.map(({ number }) => number)).toEqual(expected);
  });

  it('has one rule in each paragraph, of at most three sentences with MUST, SHOULD or MAY', () => {
    const normative = (text: string) => text.split(sentenceEnd).filter((sentence) => sentence.match(keyword) !== null);
    const wrong = paragraphs.filter(({ text }) => ![1, 2, 3].includes(normative(text).length));
    expect(wrong.map(({ number }) => number)).toEqual([]);
  });

  it('contains none of these keywords outside its paragraphs', () => {
    for (const [page, text] of readSpecificationPages()) {
      const own = paragraphs.filter((paragraph) => paragraph.page === page);
      const inParagraphs = own.flatMap((paragraph) => paragraph.text.match(keyword) ?? []).length;
      // The introduction defines the four keywords and so contains each of them once more.
      const named = page.startsWith('1-') ? 4 : 0;
      expect((text.match(keyword) ?? []).length, page).toBe(inParagraphs + named);
    }
  });
});

describe('the register', () => {
  it('has a row for every paragraph', () => {
    const judged = new Set(requirements.map(({ paragraph }) => paragraph));
    expect(paragraphs.filter(({ number }) => !judged.has(number)).map(({ number }) => number)).toEqual([]);
  });

  it('has a paragraph for every row, under its headings', () => {
    const sections = new Map(paragraphs.map(({ number, section }) => [number, section]));
    const lost = requirements.filter(({ paragraph, section }) => sections.get(paragraph) !== section);
    expect(lost.map(({ id }) => id)).toEqual([]);
  });

  it('marks as open exactly the paragraphs that are decisions', () => {
    const decisions = new Set(paragraphs.filter(({ isDecision }) => isDecision).map(({ number }) => number));
    const wrong = requirements.filter((row) => (row.keyword === 'open') !== decisions.has(row.paragraph));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});
