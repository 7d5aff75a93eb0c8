import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';

interface FormBody {
  readonly contentType: string;
  readonly stream: Readable;
}

interface FormLimits {
  /** The size limit of the file; bytes beyond it are read but not stored. */
  readonly fileMaxBytes: number;
  /** The size limit of the whole body; bytes beyond it are not read. */
  readonly totalMaxBytes: number;
  readonly partsMax: number;
}

export interface FormField {
  readonly name: string;
  readonly value: string;
}

interface FormFile {
  readonly bytes: number;
  readonly sha256: string;
  /** The file name as the client sent it; undefined if it sent none. */
  readonly filename: string | undefined;
  readonly isOverLimit: boolean;
}

export interface ReceivedForm {
  readonly fields: readonly FormField[];
  /** The first file named `file`; undefined when there was none. */
  readonly file: FormFile | undefined;
  /** Whether there was a second file, too many parts, or a part above its size limit. */
  readonly hasSurplus: boolean;
  /** Settles when the last bytes of the file are written, which may be after the form has been received. */
  readonly written: Promise<void>;
}

/** Thrown if the body is not a multipart form or is truncated. */
export class MalformedFormError extends Error {
  override readonly name = 'MalformedFormError';
}

export class FormTooLargeError extends Error {
  override readonly name = 'FormTooLargeError';
}

const fieldMaxBytes = 256;
const partHeadersMaxBytes = 8 * 1024;
const headersOfPartMax = 16;

/** The number of unwritten bytes above which the sender has to wait. */
const unwrittenMaxBytes = 1024 * 1024;

/**
 * Reads a multipart form as it arrives: writes the file named `file` to `path`, counts and hashes its bytes, and never
 * buffers the whole file. After each field, calls `onField` with all fields so far. Rejects with the reason of `signal`
 * when it is aborted.
 */
export async function receiveForm(
  { contentType, stream: body }: FormBody,
  path: string,
  limits: FormLimits,
  onField: (fields: readonly FormField[]) => void,
  signal: AbortSignal,
): Promise<ReceivedForm> {
  const fields: FormField[] = [];
  const writing = new AbortController();
  let storing: Storing | undefined;
  let hasSurplus = false;
  const markSurplus = () => {
    hasSurplus = true;
  };
  const parser = openParser(contentType, limits)
    .on('partsLimit', markSurplus)
    .on('field', (name, value, _nameTruncated, valueTruncated) => {
      if (valueTruncated) hasSurplus = true;
      fields.push({ name: name ?? '', value });
      onField(fields);
    })
    .on('file', (_name, stream, filename) => {
      if (storing !== undefined) {
        hasSurplus = true;
        stream.on('error', () => undefined).resume();
        return;
      }
      storing = store(stream, path, filename);
      // A full disk is reported immediately, not after the rest of the form.
      storing.written.catch((error: unknown) => writing.abort(error));
    });
  try {
    await readInto(body, parser, limits.totalMaxBytes, AbortSignal.any([signal, writing.signal]));
  } catch (error) {
    // After a failure, the parser does not close the stream of an incomplete file.
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
    throw new MalformedFormError('The Content-Type has no boundary.', { cause: error });
  }
}

// Does not use `pipeline`, because the connection must stay open for the response after a failure.
async function readInto(body: Readable, parser: Writable, maxBytes: number, signal: AbortSignal): Promise<void> {
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>();
  let total = 0;
  let isOver = false;
  const fail = (error: unknown) => {
    isOver = true;
    reject(error);
  };
  const take = (chunk: Buffer) => {
    // After a failure, the rest of the body is discarded, so that the connection can carry more requests.
    if (isOver) return;
    total += chunk.length;
    if (total > maxBytes) return fail(new FormTooLargeError(`more than ${maxBytes} bytes`));
    if (parser.write(chunk)) return;
    body.pause();
    parser.once('drain', () => body.resume());
  };
  const onEnd = () => {
    if (!isOver) parser.end();
  };
  const onAborted = () => fail(new MalformedFormError('The connection closed before the body was complete.'));
  const onSignal = () => fail(signal.reason);
  const onMalformed = (cause: unknown) => fail(new MalformedFormError('The form is malformed.', { cause }));
  parser.once('finish', resolve).on('error', onMalformed);
  body.on('data', take).once('end', onEnd).on('aborted', onAborted).on('error', onAborted);
  signal.addEventListener('abort', onSignal, { once: true });
  if (signal.aborted) onSignal();
  if (body.destroyed) onAborted();
  try {
    await parsed;
  } catch (error) {
    parser.destroy();
    body.resume();
    throw error;
  } finally {
    signal.removeEventListener('abort', onSignal);
  }
}

interface Storing {
  readonly stream: BusboyFileStream;
  readonly arrived: Promise<FormFile>;
  readonly written: Promise<void>;
}

function store(stream: BusboyFileStream, path: string, filename: string | undefined): Storing {
  const hash = createHash('sha256');
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: unwrittenMaxBytes });
  const written = pipeline(stream, file);
  const arrived = once(stream, 'end').then(() => {
    return { bytes, sha256: hash.digest('hex'), filename, isOverLimit: stream.truncated };
  });
  // Both promises are awaited after the form has arrived; this catch only prevents an unhandled rejection.
  Promise.all([arrived, written]).catch(() => undefined);
  return { stream, arrived, written };
}
