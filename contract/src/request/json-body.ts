import { parseExactJson } from '../exact-json.ts';
import { InvalidRequestError, type ValidationDetail } from './invalid-request.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The maximum nesting of objects and lists in a body; no operation needs more than five levels. */
const depthMax = 32;

/**
 * Parses a JSON body strictly: the bytes must be UTF-8, the text one JSON value, and the nesting is limited before
 * other code traverses it. If `doNumbersCount` is true, a number that would be rounded to an integer becomes NaN,
 * which no schema accepts.
 */
export function parseJsonBody(bytes: Uint8Array, doNumbersCount: boolean): unknown {
  const text = decode(bytes);
  const value = parse(() => (doNumbersCount ? parseExactJson(text, () => Number.NaN) : JSON.parse(text)));
  if (isDeeperThan(value, depthMax))
    throw new InvalidRequestError(
      'invalid_input',
      `The body is nested deeper than ${depthMax} levels. Send a flat object.`,
    );
  return value;
}

function parse(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new InvalidRequestError('invalid_input', 'The body is not valid JSON. Send one JSON object, in UTF-8.');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new InvalidRequestError('invalid_input', 'The body is not valid UTF-8. Send JSON in UTF-8.');
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/**
 * Finds text that cannot be stored or returned unchanged: U+0000 or half a surrogate pair, which are refused
 * everywhere, even in member names (§1.20).
 */
export function findTextFault(value: unknown, path = ''): ValidationDetail | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain U+0000' };
    if (!value.isWellFormed()) return { path, message: 'must not contain half a surrogate pair' };
    return undefined;
  }
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, member] of Object.entries(value)) {
    const fault =
      findTextFault(key, `${path}/${escapePointer(key)}`) ?? findTextFault(member, `${path}/${escapePointer(key)}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
