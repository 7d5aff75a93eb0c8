import { ConfigurationError } from '../errors.ts';
import { concatBytes, hostProcess } from '../host.ts';

/** What to upload: the path of a file, bytes, or a stream of bytes. */
export type UploadSource = string | URL | Uint8Array | Blob | AsyncIterable<Uint8Array>;

/** Data to upload; it can be read more than once, because an upload may have to be retried. */
export interface ReadableSource {
  /** The name of the file; undefined if the source has none. */
  readonly filename: string | undefined;
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** The maximum size of a stream. A stream can only be read once, so it is buffered in memory. */
const streamMaxBytes = 64 * 1024 * 1024;

export async function openUploadSource(source: UploadSource): Promise<ReadableSource> {
  if (typeof source === 'string' || source instanceof URL) return await openFile(source);
  if (source instanceof Uint8Array) return openBytes(source);
  if (source instanceof Blob) return openBlob(source);
  if (Reflect.get(Object(source), Symbol.asyncIterator) === undefined) {
    throw new ConfigurationError('An upload needs a path, a URL, a Blob, a Uint8Array or a stream of bytes.');
  }
  return openBytes(await collect(source));
}

async function openFile(source: string | URL): Promise<ReadableSource> {
  const files = hostProcess?.getBuiltinModule?.('node:fs');
  const paths = hostProcess?.getBuiltinModule?.('node:path');
  const urls = hostProcess?.getBuiltinModule?.('node:url');
  if (files === undefined || paths === undefined || urls === undefined) {
    throw new ConfigurationError(
      'An upload from a path needs Node.js, Bun or Deno; this runtime has no files. Pass a Blob, a File or bytes.',
    );
  }
  const path = typeof source === 'string' ? source : urls.fileURLToPath(source);
  const found = await files.promises.stat(path).catch((error: unknown) => {
    throw new ConfigurationError(`The file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}.`);
  });
  if (!found.isFile()) throw new ConfigurationError(`${JSON.stringify(path)} is not a file.`);
  return { filename: paths.basename(path), bytes: found.size, read: () => files.createReadStream(path) };
}

function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === 'ENOENT' ? 'it does not exist' : String(code ?? error);
}

function openBytes(bytes: Uint8Array): ReadableSource {
  return { filename: undefined, bytes: bytes.length, read: () => pieces(bytes) };
}

const pieceBytes = 64 * 1024;

// Yielded in chunks, so that progress is also reported for bytes in memory.
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function openBlob(blob: Blob): ReadableSource {
  const filename = blob instanceof File ? blob.name : undefined;
  return { filename, bytes: blob.size, read: () => piecesOf(blob) };
}

async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += pieceBytes) {
    yield new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer());
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > streamMaxBytes) {
      throw new ConfigurationError(
        `The stream has more than ${streamMaxBytes} bytes. Write it to a file and pass the path.`,
      );
    }
    chunks.push(chunk);
  }
  return concatBytes(chunks);
}
