import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { countBuffer } from '../platform/collect-buffers.ts';
import { writeInBlocks } from './write-in-blocks.ts';

/** The limits of a form, enforced while it arrives. */
interface FormLimits {
  /** Of the file; more bytes are read, but not stored. */
  readonly fileMaxBytes: number;
  /** Of the whole body; more bytes are not read. */
  readonly totalMaxBytes: number;
  readonly partsMax: number;
}

/** A field that is not a file. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The file of a form. */
interface FormFile {
  readonly bytes: number;
  readonly sha256: string;
  /** As it was sent; undefined when it was not. */
  readonly filename: string | undefined;
  readonly isOverLimit: boolean;
}

/** A form that has arrived completely. */
export interface ReceivedForm {
  readonly fields: readonly FormField[];
  /** The first file named `file`; undefined when there was none. */
  readonly file: FormFile | undefined;
  /** There was a second file, too many parts, or a part above its limit. */
  readonly hasSurplus: boolean;
  /** Settles when the last bytes of the file are written, which may be after the form has arrived. */
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
 * Reads a multipart form as it arrives: writes the file named `file` to `path`,
 * counted and hashed, and never holds it in memory as a whole. Calls `onField` for
 * each field at once.
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

// Not a pipeline: after a failure the connection has to stay open for the answer.
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
    // The rest of the body is read and dropped, so that the connection can carry further requests.
    body.resume();
    throw error;
  } finally {
    body.off('data', count).off('aborted', onAborted).off('error', onAborted);
  }
}

/** A file that is being written. */
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
  // Both are awaited after the form has arrived; this catch only prevents an unhandled rejection.
  Promise.all([arrived, written]).catch(() => undefined);
  return { stream, arrived, written };
}
