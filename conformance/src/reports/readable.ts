// Texts from a server may contain characters that control a terminal, reverse a line or are invisible, such as emoji
// joiners and selectors. Line breaks and tabs are kept; all others are replaced by their numbers.
const steering = /[^\P{C}\n\t]|[\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

/** Replaces invisible characters, and those that would affect the display, by their numbers. */
export function makeReadable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(steering, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

export function makeReadableLine(text: string): string {
  return makeReadable(text).replaceAll(/\s+/g, ' ').trim();
}

export function escapeHtml(text: string): string {
  return makeReadable(text).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a count with a noun: `1 check`, `2 checks`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const commandIndent = '    ';

/** Wraps a line at spaces and keeps its indentation; commands, which start with four spaces, stay on one line. */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (line.length <= columns || line.startsWith(commandIndent)) return [line];
  const label = /^ +(?:\S+ {2,})?/.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(label.length === 0 ? 2 : Math.min(label.length, Math.floor(columns / 3)));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const at = rest.lastIndexOf(' ', columns);
    const cut = at > indent.length ? at : columns;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = `${indent}${rest.slice(cut).trimStart()}`;
  }
  return [...lines, rest];
}
