import { responseMaxBytes } from '../read-body.ts';
import { findDispatcher, type RequestDispatcher } from './dispatcher.ts';
import { type HeaderFields, ResponseHeaders } from './response-headers.ts';
import { type RequestController, ResponseReceiver } from './response-receiver.ts';

export interface BufferedRequest {
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** `bytes` is undefined for redirects and bodies that are too long. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly bytes: Uint8Array | undefined;
}

/** Resolves to undefined if this runtime has no dispatcher. */
export async function exchange(request: BufferedRequest, signal: AbortSignal): Promise<BufferedResponse | undefined> {
  const dispatcher = await findDispatcher();
  signal.throwIfAborted();
  return dispatcher && (await exchangeWhole(dispatcher, request, signal));
}

/**
 * Uses the dispatcher API without streams, `Request`, `Response` and `Headers`, on which `fetch` spends most of its
 * time. Rejects immediately if the signal aborts.
 */
async function exchangeWhole(
  dispatcher: RequestDispatcher,
  request: BufferedRequest,
  signal: AbortSignal,
): Promise<BufferedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<BufferedResponse>();
  const collector = new Collector(resolve, reject);
  const onAbort = () => collector.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const { origin, path, method, body } = request;
  const headers = { 'accept-encoding': 'gzip', ...request.headers };
  // There are no timeouts here, because the caller limits the total time.
  dispatcher.dispatch({ origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, collector);
  const response = await promise;
  signal.removeEventListener('abort', onAbort);
  const encoding = response.headers.get('content-encoding')?.trim() ?? '';
  // `gzip` and `x-gzip` are equivalent (RFC 9110, 8.4.1.3).
  return /^(?:x-)?gzip$/i.test(encoding) ? await unpack(response) : response;
}

class Collector extends ResponseReceiver {
  readonly #resolve: (response: BufferedResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: ResponseHeaders | undefined;
  #controller: RequestController | undefined;
  #isAborted = false;

  constructor(resolve: (response: BufferedResponse) => void, reject: (error: unknown) => void) {
    super();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  abort(): void {
    const error = new Error('The exchange was aborted.');
    this.#reject(error);
    this.#isAborted = true;
    this.#controller?.abort(error);
  }

  onRequestStart(controller: RequestController): void {
    this.#controller = controller;
    // The request may have been aborted while it waited for a connection.
    if (this.#isAborted) this.abort();
  }

  onResponseStart(_: unknown, status: number, headers: Headers | HeaderFields): void {
    // Informational responses, such as 103, may precede the final one, so the last status counts.
    this.#status = status;
    this.#headers = new ResponseHeaders(headers);
    if (status >= 300 && status < 400) this.#endWithout();
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > responseMaxBytes) this.#endWithout();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size);
    this.#end(bytes);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error);
  }

  #endWithout(): void {
    this.#end(undefined);
    this.abort();
  }

  #end(bytes: Uint8Array | undefined): void {
    this.#resolve({ status: this.#status, headers: this.#headers ?? new ResponseHeaders({}), bytes });
  }
}

async function unpack(response: BufferedResponse): Promise<BufferedResponse> {
  if (response.bytes === undefined || response.bytes.length === 0) return response;
  try {
    const [{ gunzip }, { promisify }] = await Promise.all([import('node:zlib'), import('node:util')]);
    return { ...response, bytes: await promisify(gunzip)(response.bytes, { maxOutputLength: responseMaxBytes }) };
  } catch (error) {
    if (error instanceof RangeError) return { ...response, bytes: undefined };
    throw error;
  }
}
