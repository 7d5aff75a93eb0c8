/** A field of a multipart body. */
export interface Part {
  readonly name: string;
  readonly filename: string | undefined;
  readonly bytes: Buffer;
}

/** Reads a whole multipart body; undefined for what is not one. */
export function readMultipart(contentType: string | undefined, body: Buffer): Part[] | undefined {
  const boundary = /^multipart\/form-data\s*;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '');
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return undefined;
  const whole = Buffer.concat([Buffer.from('\r\n'), body]);
  const delimiter = Buffer.from(`\r\n--${mark}`);
  const parts: Part[] = [];
  let at = whole.indexOf(delimiter);
  while (at >= 0) {
    const start = at + delimiter.length;
    if (whole.toString('latin1', start, start + 2) === '--') return parts;
    const next = whole.indexOf(delimiter, start);
    const headEnd = whole.indexOf('\r\n\r\n', start);
    if (next < 0 || headEnd < 0 || headEnd > next) return undefined;
    const head = whole.toString('utf8', start, headEnd);
    const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return undefined;
    parts.push({ name, filename: /;\s*filename="([^"]*)"/i.exec(head)?.[1], bytes: whole.subarray(headEnd + 4, next) });
    at = next;
  }
  return undefined;
}
