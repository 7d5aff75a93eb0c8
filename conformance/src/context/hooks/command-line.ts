/**
 * Splits a command into words as a shell would, and does nothing else that a
 * shell does: no variables, no patterns, no pipes. White space separates words;
 * single quotes keep everything, double quotes and bare words know the backslash.
 * Undefined when a quote is never closed.
 */
export function splitCommand(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < command.length; at += 1) {
    const character = command.charAt(at);
    if (quote !== undefined && character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      // Quotes around nothing are a word too.
      word ??= '';
    } else if (character === '\\' && quote !== "'" && at + 1 < command.length) {
      at += 1;
      word = `${word ?? ''}${command.charAt(at)}`;
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ''}${character}`;
  }
  if (word !== undefined) words.push(word);
  return quote === undefined ? words : undefined;
}

const placeholder = /\{([a-z_]+)\}/g;

/** The names in braces that a command wants filled in. */
export function placeholdersOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => [...word.matchAll(placeholder)].map(([, name]) => name ?? '')))];
}

/** Fills in values; the command was split before, so that no value can become a second word. */
export function fillIn(words: readonly string[], values: Readonly<Record<string, string>>): readonly string[] {
  return words.map((word) => word.replaceAll(placeholder, (whole, name: string) => values[name] ?? whole));
}
