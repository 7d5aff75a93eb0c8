import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';

/**
 * The line with which a person does the same on a terminal, for a POSIX shell. It confirms nothing by itself; undefined
 * for words that a terminal would not show as they are.
 *
 * @param text a free text as the argument of the command; it is never taken for an option
 */
export function terminalLine(profile: string | undefined, words: readonly string[], text?: string): string | undefined {
  const options = profile === undefined ? [] : ['--profile', profile];
  const all = [...words, ...options, ...(text === undefined ? [] : ['--', text])];
  return all.some((word) => toVisibleLine(word) !== word) ? undefined : ['agentp', ...all.map(quote)].join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
