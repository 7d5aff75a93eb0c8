import { parseExactJson } from '@agent-platform/contract/client';

export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; returns undefined if it is invalid, or if parsing would round an amount. The parser's own error is
 * dropped, because it quotes the surrounding text, which may be a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text, refuseAmount);
  } catch {
    return undefined;
  }
}

/** Whether two values are equal as JSON, ignoring the order of members. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) =>
    JSON.stringify(value, (_, member: unknown) =>
      isRecord(member)
        ? Object.fromEntries(
            Object.keys(member)
              .toSorted()
              .map((name) => [name, member[name]]),
          )
        : member,
    );
  return sorted(one) === sorted(other);
}

function refuseAmount(name: string, rounded: number): number {
  if (name.endsWith('_minor')) throw new RangeError('Parsing would round an amount.');
  return rounded;
}
