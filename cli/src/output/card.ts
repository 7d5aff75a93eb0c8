import type { Page, Paint } from './page.ts';
import { padToWidth, widthOf, wrapToWidth } from './text-width.ts';
import { toVisibleLine, toVisibleLines } from './visible-text.ts';

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
export function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** Paints a part of the text of a cell. */
export function paintCell(page: Page, cell: Cell, text: string): string {
  return typeof cell === 'string' ? text : page.paint(cell.paint, text);
}
