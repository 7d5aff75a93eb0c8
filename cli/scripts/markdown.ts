import type { CommandSurface } from '@agent-platform/cli-core/surface/surface';

export function formatMarkdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = headings.map((heading, at) => Math.max(heading.length, ...escaped.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...escaped.map(line)].join('\n');
}

/** The usage of a command: its arguments and mandatory options, and `[options]` if it has others. */
export function formatUsage({ command, in: input }: CommandSurface): string {
  const entries = Object.entries(input.properties);
  const isOption = (usage: string) => usage.startsWith('-');
  const needed = entries
    .filter(([name, property]) => !isOption(property['x-usage']) || input.required.includes(name))
    .map(([, property]) => property['x-usage']);
  const hasMore = entries.some(([name, property]) => isOption(property['x-usage']) && !input.required.includes(name));
  return ['agentp', command, ...needed, ...(hasMore ? ['[options]'] : [])].join(' ');
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Marks options and addresses as code, because two hyphens would be printed as a dash and an address as a link. */
export function markCode(text: string): string {
  return text.replaceAll(/(?<![\w`-])(--[a-z][\w-]*|https?:\/\/[\w.:/-]*\w)/g, '`$1`');
}
