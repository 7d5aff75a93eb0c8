import { PdfLexer, valuesOf } from './pdf-lexer.ts';
import type { Scan } from './pdf-objects.ts';

const ending = /startxref\r?\n(\d{1,10})\r?\n%%EOF\s{0,2}$/;
const section = /(\d{1,10}) (\d{1,10}) ?\r?\n/y;
// Exactly 20 bytes: readers differ in any other form.
const row = /(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)/y;

/**
 * Whether all readers find the same objects through the tables of a file: tables of the plain form in one chain,
 * nothing else that a reader could take for one, and each row at an object that is in no other. A reader that finds a
 * fault, or another place to begin, searches the whole file, where a text may define other objects.
 */
export function hasPlainTables(bytes: Buffer, { objects, starts }: Scan): boolean {
  const text = bytes.toString('latin1');
  // A linearized file has a second place to begin.
  const isLinearized = objects.some(
    ({ value }) => value.kind === 'dictionary' && valuesOf(value, 'Linearized').length > 0,
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

/** The end of a table whose rows all lead to objects. */
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

/** The place of the table before, as the trailer names it. */
function readPrevious(bytes: Buffer, trailer: number): string | 'other' | undefined {
  const lexer = new PdfLexer(bytes);
  lexer.position = trailer + 'trailer'.length;
  const value = lexer.readValue();
  if (value.kind !== 'dictionary' || valuesOf(value, 'XRefStm').length > 0) return 'other';
  const [previous, another] = valuesOf(value, 'Prev');
  if (previous === undefined) return undefined;
  return previous.kind === 'number' && another === undefined ? String(previous.value) : 'other';
}
