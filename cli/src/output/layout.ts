import { styleText } from 'node:util';
import { type Io, readEnv } from '../io/io.ts';
import { cutToWidth, padToWidth, widthOf, wrapToWidth } from './text-width.ts';
import { toVisibleLine, toVisibleLines } from './visible-text.ts';

/** The highlight of a text where colours are allowed. */
export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** The target of text for people: its width and its colours. */
export type Page = ReturnType<typeof openPage>;

const widest = 120;
const widthOfPipe = 100;

/** Opens the page of a stream: coloured only on a terminal that allows colours. */
export function openPage(io: Io, stream: 'stdout' | 'stderr', options: { readonly color: boolean }) {
  const screen = io[stream];
  const isPlain =
    !options.color || !screen.isTerminal || readEnv(io, 'NO_COLOR') !== undefined || readEnv(io, 'TERM') === 'dumb';
  const columns = screen.isTerminal ? Math.min(Math.max(screen.columns, 40), widest) : widthOfPipe;
  return {
    columns,
    // The colours were decided above from the environment of the Io;
    // the check of Node.js would read the process instead.
    paint: (paint: Paint, text: string) => (isPlain ? text : styleText(paint, text, { validateStream: false })),
  };
}

/** A value on a terminal: plain text, or highlighted text. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/** A labelled value of a card; undefined values are left out. */
export type CardRow = readonly [label: string, value: Cell | undefined];

/** Formats one record for people: a heading, then a line for each label. Texts may be untrusted. */
export function formatCard(page: Page, heading: string, rows: readonly CardRow[]): string {
  const present = rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
  const labelWidth = Math.max(0, ...present.map(([label]) => widthOf(label)));
  const lines = heading === '' ? [] : [page.paint('bold', toVisibleLine(heading))];
  for (const [label, value] of present) {
    const wrapped = toVisibleLines(textOf(value)).flatMap((line) => wrapToWidth(line, page.columns - labelWidth - 4));
    for (const [index, line] of wrapped.entries()) {
      const lead = `  ${page.paint('dim', padToWidth(index === 0 ? label : '', labelWidth))}  `;
      lines.push((lead + paintCell(page, value, line)).trimEnd());
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The text of a cell without its colour. */
function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** Paints a part of the text of a cell. */
function paintCell(page: Page, cell: Cell, text: string): string {
  return typeof cell === 'string' ? text : page.paint(cell.paint, text);
}

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
