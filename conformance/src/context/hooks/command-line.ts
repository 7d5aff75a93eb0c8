/**
 * Splits a command into words as a shell does, but without variables, patterns or pipes. White space separates words.
 * Single quotes preserve all characters; in double quotes and outside quotes, a backslash escapes the next character.
 * Returns undefined if a quote is not closed.
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
      // Empty quotes are a word too.
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

/** The names in braces in a command. */
export function placeholdersOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => [...word.matchAll(placeholder)].map(([, name]) => name ?? '')))];
}

/** Inserts values into a command that is already split, so that a value cannot become several words. */
export function fillPlaceholders(
  words: readonly string[],
  values: Readonly<Record<string, string>>,
): readonly string[] {
  return words.map((word) => word.replaceAll(placeholder, (whole, name: string) => values[name] ?? whole));
}
