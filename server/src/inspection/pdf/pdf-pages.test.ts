import { describe, expect, it } from 'vitest';
import { makePdf } from '../../../testing/files/pdf-maker.ts';
import { describePdfVerdict } from '../../../testing/files/pdf-verdict.ts';

describe('the pages of a PDF', () => {
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>';
  const listOf = (count: number, claimed = count) => [
    `<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${claimed} >>`,
    page,
  ];

  it('are counted leaf by leaf up to the limit', async () => {
    expect(await describePdfVerdict(makePdf({ pages: listOf(200) }))).toBe('accepted with 200 page(s)');
    expect(await describePdfVerdict(makePdf({ pages: listOf(201) }))).toBe('too_many_pages');
  });

  it('are counted whatever the file claims', async () => {
    expect(await describePdfVerdict(makePdf({ pages: listOf(201, 1) }))).toBe('too_many_pages');
    expect(await describePdfVerdict(makePdf({ pages: listOf(3, 999) }))).toBe('accepted with 3 page(s)');
  });

  it('are counted through nodes that multiply', async () => {
    const pages = [
      '<< /Type /Pages /Kids [3 0 R 3 0 R 3 0 R 3 0 R] >>',
      '<< /Kids [4 0 R 4 0 R 4 0 R 4 0 R] >>',
      '<< /Kids [5 0 R 5 0 R 5 0 R 5 0 R] >>',
      '<< /Kids [6 0 R 6 0 R 6 0 R 6 0 R] >>',
      page,
    ];

    expect(await describePdfVerdict(makePdf({ pages }))).toBe('too_many_pages');
  });

  it('are counted in a tree that bites its own tail', async () => {
    const pages = ['<< /Type /Pages /Kids [3 0 R 4 0 R] >>', '<< /Kids [2 0 R] >>', page];

    expect(await describePdfVerdict(makePdf({ pages }))).toBe('accepted with 1 page(s)');
  });

  it.each([66, 100, 200, 201])('are counted in a chain of %i', async (count) => {
    const nodes = Array.from({ length: count }, (_, level) => {
      const next = level + 1 < count ? `${4 + 2 * level} 0 R` : '';
      return [`<< /Type /Pages /Kids [${3 + 2 * level} 0 R ${next}] /Count ${count - level} >>`, '<< /Type /Page >>'];
    });

    const verdict = count > 200 ? 'too_many_pages' : `accepted with ${count} page(s)`;
    expect(await describePdfVerdict(makePdf({ pages: nodes.flat() }))).toBe(verdict);
  });
});
