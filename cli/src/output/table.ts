import { type Cell, paintCell } from './card.ts';
import type { Page } from './page.ts';
import { cutToWidth, padToWidth, widthOf } from './text-width.ts';
import { toVisibleLine } from './visible-text.ts';

/** Several records for people: a line each. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The places of columns that are never cut, because they are there to be copied. */
  readonly whole?: readonly number[];
  /** What stands there when there are no rows. */
  readonly empty: string;
}

const gap = 2;
const narrowestColumn = 4;

/** Lays out a table; the texts in it may be untrusted. The widest columns give way when the page is narrow. */
export function layOutTable(table: Table, page: Page): string {
  if (table.rows.length === 0) return `${table.empty}\n`;
  const texts = table.rows.map((row) => row.map((cell) => toVisibleLine(typeof cell === 'string' ? cell : cell.text)));
  const widths = fitWidths(
    table.columns.map((heading, column) => {
      return Math.max(widthOf(heading), ...texts.map((row) => widthOf(row[column] ?? '')));
    }),
    page.columns,
    new Set(table.whole),
  );
  const layOut = (cells: readonly string[], paint: (column: number, text: string) => string): string =>
    cells
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return paint(column, padToWidth(cutToWidth(text, width), width));
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const lines = [layOut(table.columns, (_, text) => page.paint('dim', text))];
  for (const [index, row] of table.rows.entries()) {
    lines.push(layOut(texts[index] ?? [], (column, text) => paintCell(row[column] ?? '', text, page)));
  }
  return `${lines.join('\n')}\n`;
}

function fitWidths(wanted: readonly number[], columns: number, whole: ReadonlySet<number>): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths.filter((_, column) => !whole.has(column)));
    if (widest <= narrowestColumn) break;
    widths[widths.findIndex((width, column) => width === widest && !whole.has(column))] = widest - 1;
    excess -= 1;
  }
  return widths;
}
