/** What a `Range` header means for a file. */
export type RangeChoice =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const whole: RangeChoice = { kind: 'whole' };
const single = /^bytes=[ \t]*(\d{0,16})-(\d{0,16})[ \t]*$/i;

/**
 * Reads a `Range` header for a file of `size` bytes. One range is served;
 * several, another unit or anything malformed is passed over, as HTTP allows.
 */
export function chooseRange(header: string | undefined, size: number): RangeChoice {
  const match = single.exec(header ?? '');
  if (match === null) return whole;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return whole;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return whole;
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}

function suffix(length: number, size: number): RangeChoice {
  if (length === 0 || size === 0) return { kind: 'unsatisfiable' };
  return { kind: 'part', start: Math.max(0, size - length), end: size - 1 };
}

/** Tells whether a client that names these tags has the present version already (`If-None-Match`). */
export function hasVersion(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Tells whether a range may be served to a client that has a part of this version (`If-Range`). */
export function mayContinue(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}

const plain = /^[\w!#$&+.^`|~-]$/;

/** A `Content-Disposition` that saves a file under its name, in the form old clients read and in RFC 5987's. */
export function attachmentNamed(filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = [...new TextEncoder().encode(filename)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
