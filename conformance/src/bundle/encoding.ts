import { createHash } from 'node:crypto';
import { isObject } from '../context/json.ts';

/** Formats JSON in the canonical form of RFC 8785: sorted members, no white space. */
export function formatCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => formatCanonicalJson(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // `<` compares UTF-16 code units, as the RFC requires.
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${formatCanonicalJson(member)}`).join(',')}}`;
}

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Encodes an input or output of a run as JSON; `clean` replaces the secrets in each text. */
export function encodeValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return { $utf8: clean(text) };
    // Reads the bytes as Latin-1, one character for each byte, so that secrets in them are also found.
    return { $base64: Buffer.from(clean(bytes.toString('latin1')), 'latin1').toString('base64') };
  }
  if (Array.isArray(value)) return value.map((one) => encodeValue(one, clean));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encodeValue(member, clean)]));
}

export function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue);
  if (!isObject(value)) return value;
  const { $utf8: text, $base64: base64 } = value as { readonly $utf8?: unknown; readonly $base64?: unknown };
  if (typeof text === 'string') return Buffer.from(text);
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decodeValue(member)]));
}
