import type { Page, Paint } from './page.ts';
import { padToWidth, widthOf, wrapToWidth } from './text-width.ts';
import { toVisibleLine, toVisibleLines } from './visible-text.ts';

/** A value for the eye: plain text, or text that stands out. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

/** One record for people: a heading, then a line for each label with its value. */
export interface Card {
  readonly heading: string;
  readonly rows: readonly (readonly [label: string, value: Cell])[];
}

/** Lays out a card; the texts in it may be untrusted. */
export function layOutCard(card: Card, page: Page): string {
  const labelWidth = Math.max(0, ...card.rows.map(([label]) => widthOf(label)));
  const lines = [page.paint('bold', toVisibleLine(card.heading))];
  for (const [label, value] of card.rows) {
    const text = typeof value === 'string' ? value : value.text;
    const wrapped = toVisibleLines(text).flatMap((line) => wrapToWidth(line, page.columns - labelWidth - 4));
    for (const [index, line] of wrapped.entries()) {
      const lead = `  ${page.paint('dim', padToWidth(index === 0 ? label : '', labelWidth))}  `;
      lines.push((lead + paintCell(value, line, page)).trimEnd());
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Colours a piece of a cell's text as the cell says. */
export function paintCell(cell: Cell, text: string, page: Page): string {
  return typeof cell === 'string' ? text : page.paint(cell.paint, text);
}
