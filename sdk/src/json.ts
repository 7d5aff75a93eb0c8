import { parseExactJson } from '@agent-platform/contract/client';

/** Checks whether a value is an object with members. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; undefined for any other text, and for an amount whose digits say
 * something else than the integer that they are rounded to. The parser's own error is
 * dropped: it quotes the text around the fault, and that text may be a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text, refuseAmount);
  } catch {
    return undefined;
  }
}

function refuseAmount(name: string, rounded: number): number {
  if (name.endsWith('_minor')) throw new RangeError('The digits of an amount do not match its value.');
  return rounded;
}
