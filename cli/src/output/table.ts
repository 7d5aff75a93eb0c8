import { type Cell, paintCell, textOf } from './card.ts';
import type { Page } from './page.ts';
import { cutToWidth, padToWidth, widthOf } from './text-width.ts';
import { toVisibleLine } from './visible-text.ts';

/** A column of a table. One that is `whole` is never cut, because its values are there to be copied. */
export type Column<T> = readonly [heading: string, cell: (record: T) => Cell, cut?: 'whole'];

const gap = 2;
const narrowestColumn = 4;

/** Formats records for people, one line each. Texts may be untrusted. The widest columns shrink on a narrow page. */
export function formatTable<T>(
  page: Page,
  records: readonly T[],
  columns: readonly Column<T>[],
  messageIfEmpty: string,
): string {
  if (records.length === 0) return `${messageIfEmpty}\n`;
  const headings: Cell[] = columns.map(([heading]) => ({ text: heading, paint: 'dim' }));
  const rows = [headings, ...records.map((record) => columns.map(([, cell]) => cell(record)))];
  const texts = rows.map((row) => row.map((cell) => toVisibleLine(textOf(cell))));
  const widths = fitWidths(columns, texts, page.columns);
  const lines = rows.map((row, index) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return paintCell(page, cell, padToWidth(cutToWidth(texts[index]?.[column] ?? '', width), width));
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function fitWidths<T>(columns: readonly Column<T>[], texts: readonly string[][], pageColumns: number): number[] {
  const widths = columns.map((_, column) => Math.max(...texts.map((row) => widthOf(row[column] ?? ''))));
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - pageColumns;
  while (excess > 0) {
    const widest = Math.max(...widths.filter((_, column) => columns[column]?.[2] !== 'whole'));
    if (widest <= narrowestColumn) break;
    widths[widths.findIndex((width, column) => width === widest && columns[column]?.[2] !== 'whole')] = widest - 1;
    excess -= 1;
  }
  return widths;
}
