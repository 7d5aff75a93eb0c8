import { type endpoints, parseContentType } from '@agent-platform/contract/client';
import { ConfigurationError, ConnectionError } from '../errors.ts';
import { concatBytes, hostProcess } from '../host.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { ReadableBody } from '../transport/read-body.ts';
import { rejectWhenAborted } from '../transport/sleep.ts';
import type { Transport } from '../transport/transport.ts';

interface ContentOptions {
  /** The maximum time between two chunks. */
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The size limit of files without an announced size, and the default limit of `bytes()`. */
const sizeMaxBytes = 64 * 1024 * 1024;

/**
 * The content of a file that is being downloaded. It can be read once: by iterating over it, with `bytes()` or with
 * `saveTo()`. Call `cancel()` if you do not read it.
 *
 * @example
 * for await (const piece of await platform.attachments.download(id)) hash.update(piece);
 */
export class FileContent implements AsyncIterable<Uint8Array> {
  /** The media type in the server's response. */
  readonly mediaType: string;
  /** The announced size; null if the server announces none. */
  readonly sizeBytes: number | null;
  /** Identifies the content: different bytes have different tags. */
  readonly etag: string | null;
  readonly #reader: ReturnType<ReadableBody['getReader']>;
  readonly #options: ContentOptions;

  constructor(body: ReadableBody, headers: Headers, options: ContentOptions) {
    // The `content-length` of an encoded body is not the size of the file.
    const isEncoded = !/^(?:\s*identity\s*)?$/i.test(headers.get('content-encoding') ?? '');
    const length = /^\d+$/.exec(headers.get('content-length')?.trim() ?? '');
    this.mediaType = parseContentType(headers.get('content-type') ?? '').mediaType || 'application/octet-stream';
    this.sizeBytes = isEncoded || length === null ? null : Number(length[0]);
    this.etag = headers.get('etag');
    this.#reader = body.getReader();
    this.#options = options;
  }

  /**
   * Yields the chunks as they arrive: as many bytes as announced, or up to 64 MiB if no size is announced.
   *
   * @throws ConnectionError `connection_failed`, `timeout`: download the file again; `unreadable_answer`: the file is
   * too long
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    let bytes = 0;
    try {
      while (true) {
        const { done, value } = await this.#readNext();
        if (done) break;
        if (!(value instanceof Uint8Array)) throw broken('it does not consist of bytes');
        bytes += value.length;
        if (bytes > (this.sizeBytes ?? sizeMaxBytes)) throw this.#endless();
        yield value;
      }
      if (this.sizeBytes !== null && bytes !== this.sizeBytes)
        throw broken(`received ${bytes} of ${this.sizeBytes} bytes`);
    } finally {
      await this.cancel();
    }
  }

  /**
   * Reads the whole file into memory: at most 20 MiB on a server with the limits of the specification.
   *
   * @param maxBytes larger files are refused; 64 MiB by default
   * @throws ConnectionError `connection_failed`, `timeout`, `unreadable_answer` (too large)
   * @example
   * const bytes = await (await platform.attachments.preview(id)).bytes();
   */
  async bytes(maxBytes: number = sizeMaxBytes): Promise<Uint8Array> {
    if (this.sizeBytes !== null && this.sizeBytes > maxBytes) {
      await this.cancel();
      const message = `The file has ${this.sizeBytes} bytes, and bytes() accepts at most ${maxBytes}. Allow more with bytes(maxBytes), or use saveTo().`;
      throw new ConnectionError('unreadable_answer', message);
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of this) pieces.push(piece);
    return concatBytes(pieces);
  }

  /**
   * Writes the file to a path. The file only appears there when it is complete, and replaces an existing one. Choose
   * the path yourself or use `safeFileName()`, because a file name that another agent chose may be harmful.
   *
   * @throws ConnectionError `connection_failed`, `timeout`: no partial file remains
   * @throws ConfigurationError the runtime, for example a browser, has no file system; use `bytes()`
   * @throws Error of the file system
   * @example
   * await (await platform.attachments.download(id)).saveTo('./chart.pdf');
   */
  async saveTo(path: string, onProgress?: (savedBytes: number) => void): Promise<void> {
    const files = hostProcess?.getBuiltinModule?.('node:fs/promises');
    const paths = hostProcess?.getBuiltinModule?.('node:path');
    if (files === undefined || paths === undefined) {
      await this.cancel();
      throw new ConfigurationError('saveTo() needs Node.js, Bun or Deno; this runtime has no files. Use bytes().');
    }
    // A random name, because a suffix could make the name of the file too long.
    const unfinished = paths.join(paths.dirname(path), `.${crypto.randomUUID()}.part`);
    try {
      await files.writeFile(unfinished, this.#reporting(onProgress), { flag: 'wx' });
      await files.rename(unfinished, path);
    } catch (error) {
      await this.cancel();
      await files.rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Cancels the transfer; has no effect after its end. */
  async cancel(): Promise<void> {
    // An error while cancelling is ignored, because the caller no longer reads the file.
    await this.#reader.cancel().catch(() => undefined);
  }

  #endless(): ConnectionError {
    const expected =
      this.sizeBytes === null ? `${sizeMaxBytes} bytes, without an announced size` : `the ${this.sizeBytes} announced`;
    return new ConnectionError('unreadable_answer', `The download has more bytes than ${expected}.`);
  }

  async *#reporting(onProgress: ((savedBytes: number) => void) | undefined): AsyncGenerator<Uint8Array> {
    let saved = 0;
    for await (const piece of this) {
      yield piece;
      saved += piece.length;
      onProgress?.(saved);
    }
  }

  async #readNext(): Promise<{ done: boolean; value?: unknown }> {
    const { stallMs, signal } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stalled = new Promise<never>((_, reject) => {
      const error = new ConnectionError('timeout', `The download stalled for ${stallMs} ms.`);
      timer = setTimeout(() => reject(error), stallMs);
    });
    try {
      return await rejectWhenAborted(Promise.race([this.#reader.read().catch(interrupted), stalled]), signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

function interrupted(error: unknown): never {
  throw new ConnectionError('connection_failed', 'The connection broke in the middle of the file.', error);
}

function broken(what: string): ConnectionError {
  return new ConnectionError('connection_failed', `The download is incomplete: ${what}. Download the file again.`);
}

export async function startDownload(
  transport: Transport,
  operation: typeof endpoints.downloadAttachment | typeof endpoints.previewAttachment,
  attachment_id: string,
  options?: CallOptions,
): Promise<ApiResult<FileContent>> {
  const { data, response } = await transport.open(operation, { params: { attachment_id } }, options);
  const { body, stallMs } = data;
  return { data: new FileContent(body, response.headers, { stallMs, signal: options?.signal }), response };
}
