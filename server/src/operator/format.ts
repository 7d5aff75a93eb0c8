/** Characters that control a terminal, change the text direction, are invisible, or have no standard glyph. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Replaces control characters with text like `\u{1b}`, because texts of agents are untrusted. */
export function toVisible(text: string): string {
  return text.replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Formats JSON with control characters escaped; the text parses to the same value. */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(invisible, (character) =>
    character === '\n' ? '\n' : escapeUnits(character),
  );
}

// JSON escapes UTF-16 units, so a character beyond the first Unicode plane needs two escapes.
function escapeUnits(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

export function formatTime(timestamp: string | null): string {
  return timestamp === null ? '-' : `${timestamp.slice(0, 19).replace('T', ' ')} UTC`;
}

export function formatPage(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  nextAfter: string | null,
): string {
  const table = formatTable(headings, rows);
  return nextAfter === null ? table : `${table}\n\nMore entries: --after ${nextAfter}`;
}

/** Cells must contain only visible text; the last column may have any width. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const formatLine = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => formatLine(line).trimEnd()).join('\n');
}

/** Labels and values; a value may be untrusted and have several lines. */
export type CardRows = readonly (readonly [label: string, value: string])[];

export function formatCard(card: CardRows): string {
  const width = Math.max(...card.map(([label]) => label.length));
  const lines = card.flatMap(([label, value]) =>
    value
      .split(/\r?\n/)
      .map((line, index) => `${(index === 0 ? label : '').padEnd(width)}  ${toVisible(line)}`.trimEnd()),
  );
  return lines.join('\n');
}
