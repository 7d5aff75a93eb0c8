import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let stringWidth: ((text: string) => number) | undefined;
let graphemes: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

/** The number of terminal columns of a text; wide characters count as two. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // Loaded on demand, because it is slow to load, and most commands print JSON or plain ASCII.
  stringWidth ??= (require('string-width') as typeof import('string-width')).default;
  return stringWidth(text);
}

export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Cuts a text to a width in columns, between visible characters, and marks the cut. */
export function truncateToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return `${takeWidth(text, columns - 1)}…`;
}

/** Wraps a line to a width, at spaces. A word that is longer than the width is split, after a `/` if it has one. */
export function wrapToWidth(line: string, columns: number): string[] {
  const width = Math.max(columns, 2);
  const lines: string[] = [];
  const [first = '', ...words] = line.split(' ');
  let current = breakOff(first, width, lines);
  for (const word of words) {
    const joined = `${current} ${word}`;
    if (current !== '' && widthOf(joined) > width) {
      lines.push(current);
      current = word;
    } else {
      current = joined;
    }
    current = breakOff(current, width, lines);
  }
  return [...lines, current];
}

// Moves the parts of a word that exceed the width to separate lines; returns the rest. Uses one pass, because the
// text may be long.
function breakOff(text: string, width: number, lines: string[]): string {
  if (widthOf(text) <= width) return text;
  let [line, used] = ['', 0];
  for (const { segment } of graphemesOf(text)) {
    const columns = widthOf(segment);
    while (line !== '' && used + columns > width) {
      // Breaks after a `/`, so that the parts of a path, such as ids, are not split.
      const whole = line.slice(0, line.lastIndexOf('/') + 1) || line;
      lines.push(whole);
      line = line.slice(whole.length);
      used = widthOf(line);
    }
    line += segment;
    used += columns;
  }
  return line;
}

function takeWidth(text: string, columns: number): string {
  let taken = '';
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const width = widthOf(segment);
    // Takes at least one character, even if it is too wide.
    if (taken !== '' && used + width > columns) break;
    taken += segment;
    used += width;
  }
  return taken;
}
