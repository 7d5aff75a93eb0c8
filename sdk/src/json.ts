/** Checks whether a value is an object with members. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; undefined for any other text. The parser's own error is
 * dropped: it quotes the text around the fault, and that text may be a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
