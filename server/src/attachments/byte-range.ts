type RangeChoice =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const whole: RangeChoice = { kind: 'whole' };
const single = /^bytes=[ \t]*(\d{0,16})-(\d{0,16})[ \t]*$/i;

/**
 * Parses a `Range` header for a file of `size` bytes. A single range is served; a header with several ranges, another
 * unit or a syntax error is ignored, as HTTP allows.
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

/** Whether the client's partial download is of this version, so that a range may be sent (`If-Range`). */
export function matchesIfRange(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}

/** Contains the file name twice: in ASCII for old clients, and encoded as in RFC 5987. */
export function formatContentDisposition(filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed())
    .replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll(/%(?:23|24|26|2B|5E|60|7C)/g, decodeURIComponent);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
