import type { Readable } from 'node:stream';
import { UsageError } from '../errors/failure.ts';

/** Refuses more than `maxBytes`; `what` names the stream in errors. */
export async function readAll(stream: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) throw new UsageError(`${what} has more than ${maxBytes} bytes.`);
    chunks.push(part);
  }
  return decode(Buffer.concat(chunks), what);
}

// TextDecoder removes a byte order mark, which is not part of the text.
function decode(bytes: Buffer, what: string): string {
  try {
    if (isUtf16(bytes)) throw new UsageError(`${what} is UTF-16.`, 'Save the text as UTF-8.');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${what} is not valid UTF-8.`, 'Save the text as UTF-8.');
  }
}

/** Whether a text starts with a UTF-16 byte order mark, or every second byte at its start is zero. */
function isUtf16(bytes: Buffer): boolean {
  const begin = bytes.subarray(0, 64).toString('latin1');
  return /^(?:\xff\xfe|\xfe\xff)/.test(begin) || /^(?:(?:[^\0]\0)+[^\0]?|(?:\0[^\0])+\0?)$/.test(begin);
}
