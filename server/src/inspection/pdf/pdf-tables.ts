import { findDictionaryValues, PdfLexer } from './pdf-lexer.ts';
import type { PdfScan } from './pdf-objects.ts';

const ending = /startxref\r?\n(\d{1,10})\r?\n%%EOF\s{0,2}$/;
const section = /(\d{1,10}) (\d{1,10}) ?\r?\n/y;
// A row has exactly 20 bytes, because readers interpret other forms differently.
const row = /(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)/y;

/**
 * Whether all readers find the same objects through the cross-reference tables of a file: there is one chain of plain
 * tables, no other text looks like a table, and each row points to an object outside all others. A reader that finds a
 * fault or starts at another table searches the whole file, where other text may define objects.
 */
export function hasPlainTables(bytes: Buffer, { objects, starts }: PdfScan): boolean {
  const text = bytes.toString('latin1');
  // In a linearized file, readers may start at a second place.
  const isLinearized = objects.some(
    ({ value }) => value.kind === 'dictionary' && findDictionaryValues(value, 'Linearized').length > 0,
  );
  if (!text.startsWith('%PDF-') || isLinearized) return false;
  const tables = new Set<number>();
  for (let next = ending.exec(text.slice(-80))?.[1]; next !== undefined; ) {
    const at = Number(next);
    const end = tables.has(at) ? undefined : endOfTable(text, at, starts);
    if (end === undefined) return false;
    tables.add(at);
    const previous = readPrevious(bytes, end);
    if (previous === 'other') return false;
    next = previous;
  }
  return tables.size > 0 && [/startxref/g, /(?<!start)xref/g].every((word) => text.match(word)?.length === tables.size);
}

/** Returns undefined unless all rows of the table point to objects. */
function endOfTable(text: string, at: number, starts: ReadonlySet<number>): number | undefined {
  const head = /xref\r?\n/y;
  head.lastIndex = at;
  if (!head.test(text)) return undefined;
  let position = head.lastIndex;
  for (let isFirst = true; ; isFirst = false) {
    section.lastIndex = position;
    const [, first, count] = section.exec(text) ?? [];
    if (first === undefined) return isFirst || !text.startsWith('trailer', position) ? undefined : position;
    position = section.lastIndex;
    for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
      row.lastIndex = position;
      const [, offset, generation, kind] = row.exec(text) ?? [];
      position = row.lastIndex;
      if (kind === undefined || (kind === 'n' && generation !== '00000')) return undefined;
      const start = `${number} 0 obj`;
      const isObject = text.startsWith(start, Number(offset)) && starts.has(Number(offset) + start.length);
      if (kind === 'n' && !isObject) return undefined;
    }
  }
}

/** Returns the position of the previous table, or `other` if readers may not agree on it. */
function readPrevious(bytes: Buffer, trailer: number): string | 'other' | undefined {
  const lexer = new PdfLexer(bytes);
  lexer.position = trailer + 'trailer'.length;
  const value = lexer.readValue();
  if (value.kind !== 'dictionary' || findDictionaryValues(value, 'XRefStm').length > 0) return 'other';
  const [previous, another] = findDictionaryValues(value, 'Prev');
  if (previous === undefined) return undefined;
  return previous.kind === 'number' && another === undefined ? String(previous.value) : 'other';
}
