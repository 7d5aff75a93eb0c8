import { Refusal } from '../refusal.ts';

const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** Tells whether a Content-Type is JSON and nothing that only looks like it (D-43). */
export function isJsonType(contentType: string): boolean {
  return jsonType.test(contentType);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The deepest nesting of objects and lists that a body may have; no operation needs more than five. */
const depthMax = 32;

/**
 * Parses a JSON body without repairing anything: the bytes must be UTF-8, the
 * text one JSON value, and nesting bounded before anybody walks the value.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const tooDeep = isDeeperThan(text, depthMax);
  if (tooDeep)
    throw new Refusal('invalid_input', `The body is nested deeper than ${depthMax} levels. Send a flat object.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('invalid_input', 'The body is not valid JSON. Send one JSON object, in UTF-8.');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal('invalid_input', 'The body is not valid UTF-8. Send JSON in UTF-8.');
  }
}

// Counts brackets outside of strings. Text that is no JSON may be counted wrong,
// and is refused by the parser right after.
function isDeeperThan(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > max) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

/** A place in a parsed value whose text cannot be stored or answered faithfully. */
export interface TextFault {
  readonly path: string;
  readonly message: string;
}

/** Finds text with U+0000 or half a surrogate pair, which is refused everywhere (D-21); member names count. */
export function findTextFault(value: unknown, path = ''): TextFault | undefined {
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

/** Writes a member's name as a step of a JSON Pointer. */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
