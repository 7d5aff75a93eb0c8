import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { countBuffer } from '../platform/collect-buffers.ts';
import { writeInBlocks } from './write-in-blocks.ts';

/** What bounds a form. Everything of it is counted while it arrives. */
export interface FormLimits {
  /** Of the file; more is read, but not kept. */
  readonly fileMaxBytes: number;
  /** Of the whole body; more is not read. */
  readonly totalMaxBytes: number;
  readonly partsMax: number;
}

/** A field that is not a file. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The file of a form. */
export interface FormFile {
  readonly bytes: number;
  readonly sha256: string;
  /** As it was sent; undefined when it was not. */
  readonly filename: string | undefined;
  readonly isOverLimit: boolean;
}

/** A form that has arrived whole. */
export interface ReceivedForm {
  readonly fields: readonly FormField[];
  /** The first file named `file`; undefined when there was none. */
  readonly file: FormFile | undefined;
  /** There was a second file, more parts than a form may have, or a part that is over a limit of its own. */
  readonly hasSurplus: boolean;
  /** Settles when the last bytes of the file have been written, which may go on after the form has arrived. */
  readonly written: Promise<void>;
}

/** The body is not a form, or ends too early. */
export class FormBroken extends Error {
  override readonly name = 'FormBroken';
}

/** The body has more bytes than a form may have. */
export class FormTooLarge extends Error {
  override readonly name = 'FormTooLarge';
}

const fieldMaxBytes = 256;
const partHeadersMaxBytes = 8 * 1024;
const headersOfPartMax = 16;

/**
 * Reads a multipart form as it arrives: the file named `file` goes to `path`,
 * counted and hashed on its way, and is never in memory as a whole. `onField`
 * hears of each field at once.
 */
export async function receiveForm(
  body: Readable,
  contentType: string,
  path: string,
  limits: FormLimits,
  onField: (field: FormField) => void,
): Promise<ReceivedForm> {
  const fields: FormField[] = [];
  let storing: Storing | undefined;
  let hasSurplus = false;
  const markSurplus = () => {
    hasSurplus = true;
  };
  const parser = openParser(contentType, limits)
    .on('partsLimit', markSurplus)
    .on('field', (name, value, _nameTruncated, valueTruncated) => {
      if (valueTruncated) hasSurplus = true;
      const field = { name: name ?? '', value };
      fields.push(field);
      onField(field);
    })
    .on('file', (_name, stream, filename) => {
      if (storing !== undefined) {
        hasSurplus = true;
        stream.on('error', () => undefined).resume();
        return;
      }
      storing = store(stream, path, filename);
    });
  try {
    await readInto(body, parser, limits.totalMaxBytes);
  } catch (error) {
    // The parser does not end the file that it was in the middle of.
    storing?.stream.destroy();
    await storing?.written.catch(() => undefined);
    throw error;
  }
  return { fields, file: await storing?.arrived, hasSurplus, written: storing?.written ?? Promise.resolve() };
}

function openParser(contentType: string, { fileMaxBytes, partsMax }: FormLimits) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (name) => name === 'file',
      limits: {
        // One part more than there may be is told apart from what fits.
        parts: partsMax,
        fieldSize: fieldMaxBytes,
        fileSize: fileMaxBytes,
        headerPairs: headersOfPartMax,
        headerSize: partHeadersMaxBytes,
      },
    });
  } catch (error) {
    throw new FormBroken('The Content-Type names no boundary.', { cause: error });
  }
}

// Not a pipeline: when it fails, the connection has to stay for the answer.
async function readInto(body: Readable, parser: Writable, maxBytes: number): Promise<void> {
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>();
  const onAborted = () => reject(new FormBroken('The connection ended before the body did.'));
  const onMalformed = (cause: unknown) => reject(new FormBroken('The form is malformed.', { cause }));
  let total = 0;
  const count = (chunk: Buffer) => {
    total += chunk.length;
    countBuffer(chunk.length);
    if (total > maxBytes) reject(new FormTooLarge(`more than ${maxBytes} bytes`));
  };
  body.on('data', count).on('aborted', onAborted).on('error', onAborted);
  parser.once('finish', resolve).on('error', onMalformed);
  body.pipe(parser);
  try {
    await parsed;
  } catch (error) {
    body.unpipe(parser);
    parser.destroy();
    // What is still on its way is read and dropped, or the connection could carry no further request.
    body.resume();
    throw error;
  } finally {
    body.off('data', count).off('aborted', onAborted).off('error', onAborted);
  }
}

/** A file on its way to the disk. */
interface Storing {
  readonly stream: BusboyFileStream;
  readonly arrived: Promise<FormFile>;
  readonly written: Promise<void>;
}

function store(stream: BusboyFileStream, path: string, filename: string | undefined): Storing {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = (chunk: Buffer) => {
    bytes += chunk.length;
    hash.update(chunk);
  };
  const written = writeInBlocks(stream.on('data', measure), path);
  const arrived = Promise.race([once(stream, 'end'), written]).then(() => {
    return { bytes, sha256: hash.digest('hex'), filename, isOverLimit: stream.truncated };
  });
  // Both are looked at when the form has arrived; until then a failure must not count as unhandled.
  Promise.all([arrived, written]).catch(() => undefined);
  return { stream, arrived, written };
}
