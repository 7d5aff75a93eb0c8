import { styleText } from 'node:util';
import { type Io, readEnv } from '../io/io.ts';
import { padToWidth, truncateToWidth, widthOf, wrapToWidth } from './text-width.ts';
import { toVisibleLine, toVisibleLines } from './visible-text.ts';

export type TextStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export type TextLayout = ReturnType<typeof makeTextLayout>;

const widest = 120;

/** Uses colours only on a terminal that allows them; a pipe has no width limit. */
export function makeTextLayout(io: Io, stream: 'stdout' | 'stderr', options: { readonly color: boolean }) {
  const screen = io[stream];
  const isPlain =
    !options.color || !screen.isTerminal || readEnv(io, 'NO_COLOR') !== undefined || readEnv(io, 'TERM') === 'dumb';
  return {
    columns: screen.isTerminal ? Math.min(Math.max(screen.columns, 40), widest) : Number.POSITIVE_INFINITY,
    now: io.now(),
    // Without `validateStream: false`, `styleText` would check the process's environment instead of the one in `io`.
    paint: (paint: TextStyle, text: string) => (isPlain ? text : styleText(paint, text, { validateStream: false })),
  };
}

export type Cell = string | { readonly text: string; readonly paint: TextStyle };

/** Undefined values are omitted. */
export type CardRow = readonly [label: string, value: Cell | undefined];

/** Formats one record for people. Texts may be untrusted. */
export function formatCard(page: TextLayout, heading: string, rows: readonly CardRow[]): string {
  const present = rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
  const labelWidth = Math.max(0, ...present.map(([label]) => widthOf(label)));
  const lines =
    heading === '' ? [] : wrapToWidth(toVisibleLine(heading), page.columns).map((line) => page.paint('bold', line));
  for (const [label, value] of present) lines.push(...formatRow(page, label, value, labelWidth));
  return `${lines.join('\n')}\n`;
}

function formatRow(page: TextLayout, label: string, value: Cell, labelWidth: number): string[] {
  const paragraphs = toVisibleLines(textOf(value));
  const lead = (text: string): string => `  ${page.paint('dim', padToWidth(text, labelWidth))}  `;
  const room = page.columns - labelWidth - 4;
  const longest = Math.max(...paragraphs.flatMap((line) => line.split(' ')).map(widthOf));
  // An id or a public key that does not fit next to its label is printed in full below it.
  if (longest > room && longest <= page.columns - 4) {
    const below = paragraphs.flatMap((line) => wrapToWidth(line, page.columns - 4));
    return [`  ${page.paint('dim', label)}`, ...below.map((line) => `    ${paintCell(page, value, line)}`.trimEnd())];
  }
  return paragraphs
    .flatMap((line) => wrapToWidth(line, room))
    .map((line, index) => (lead(index === 0 ? label : '') + paintCell(page, value, line)).trimEnd());
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function paintCell(page: TextLayout, cell: Cell, text: string): string {
  return typeof cell === 'string' ? text : page.paint(cell.paint, text);
}

/**
 * A column of a table. If the table is too wide, only `text` columns are cut, because other values are meant to be
 * copied. If that is not enough, columns with a `short` form use that form.
 */
export type Column<T> = readonly [
  heading: string,
  cell: (record: T, page: TextLayout) => Cell,
  form?: 'text' | { readonly short: (record: T, page: TextLayout) => Cell } | undefined,
];

const gap = 2;
/** In a table that is too wide, a text column keeps half of its width, but at least 8 and at most 24 columns. */
const [leastText, enoughText] = [8, 24];

/** Formats records for people: as a table, or as cards if the page is too narrow. Texts may be untrusted. */
export function formatTable<T>(
  page: TextLayout,
  records: readonly T[],
  columns: readonly Column<T>[],
  messageIfEmpty: string,
): string {
  if (records.length === 0) return `${messageIfEmpty}\n`;
  const table =
    tryTable(page, records, columns) ??
    tryTable(
      page,
      records,
      columns.map(([heading, cell, form]) => [heading, typeof form === 'object' ? form.short : cell, form] as const),
    );
  return table ?? records.map((record) => formatAsCard(page, record, columns)).join('\n');
}

/** Formats a table; returns undefined if it does not fit even with its texts cut. */
function tryTable<T>(page: TextLayout, records: readonly T[], columns: readonly Column<T>[]): string | undefined {
  const headings: Cell[] = columns.map(([heading]) => ({ text: heading, paint: 'dim' }));
  const rows = [headings, ...records.map((record) => columns.map(([, cell]) => cell(record, page)))];
  const texts = rows.map((row) => row.map((cell) => toVisibleLine(textOf(cell))));
  const widths = fitWidths(columns, texts, page.columns);
  if (widths === undefined) return undefined;
  const lines = rows.map((row, index) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return paintCell(page, cell, padToWidth(truncateToWidth(texts[index]?.[column] ?? '', width), width));
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function fitWidths<T>(
  columns: readonly Column<T>[],
  texts: readonly string[][],
  pageColumns: number,
): number[] | undefined {
  const widths = columns.map((_, column) => Math.max(...texts.map((row) => widthOf(row[column] ?? ''))));
  const spare = widths.map((width, column) =>
    columns[column]?.[2] === 'text' ? width - Math.min(Math.max(Math.ceil(width / 2), leastText), enoughText) : 0,
  );
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - pageColumns;
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...widths.filter((_, column) => (spare[column] ?? 0) > 0));
    const column = widths.findIndex((width, at) => width === widest && (spare[at] ?? 0) > 0);
    if (column < 0) return undefined;
    widths[column] = widest - 1;
    spare[column] = (spare[column] ?? 0) - 1;
  }
  return widths;
}

/** Formats a record as a card. Its title consists of the first column with a heading and the columns before it. */
function formatAsCard<T>(page: TextLayout, record: T, columns: readonly Column<T>[]): string {
  const cells = columns.map(([heading, cell]) => [heading.toLowerCase(), cell(record, page)] as const);
  const named = cells.findIndex(([heading]) => heading !== '');
  const heading = cells
    .slice(0, named + 1)
    .flatMap(([label, cell]) => [label, textOf(cell)])
    .filter((text) => text !== '');
  const rows = cells.slice(named + 1).map(([label, cell]): CardRow => [label, textOf(cell) === '' ? undefined : cell]);
  return formatCard(page, heading.join(' '), rows);
}
