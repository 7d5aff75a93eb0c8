/** Tells whether a value is an object with members, and lets them be read one by one. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; undefined when the text is none. The parser's own error is
 * dropped: it quotes the text around the fault, and that text may be a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
