import type { Readable } from 'node:stream';
import { UsageError } from '../errors/failure.ts';

/** Reads a stream of UTF-8 to its end; `what` names it when it holds more than `maxBytes`. */
export async function readAll(stream: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) throw new UsageError(`${what} holds more than ${maxBytes} bytes.`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}
