import { concatBytes } from '../host.ts';

/** The members of a `fetch` response that this package reads; undici and the global `fetch` both provide them. */
export interface FetchResponse {
  readonly status: number;
  readonly type?: string;
  readonly headers: Iterable<[string, string]>;
  readonly body: ReadableBody | null;
}

/** A body that can be read once. */
export interface ReadableBody {
  getReader(): {
    read(): Promise<{ done: boolean; value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The maximum number of bytes read from a response; API responses are far smaller. */
export const responseMaxBytes = 4 * 1024 * 1024;

/** Returns undefined if the body is longer than the limit; the rest is then not received. */
export async function readBody(response: FetchResponse, maxBytes: number): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(chunks);
    if (!(value instanceof Uint8Array)) throw new TypeError('The body does not consist of bytes.');
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}

/** Cancels a body that is not needed, so that its connection is released. */
export async function discardBody(response: FetchResponse): Promise<void> {
  await response.body
    ?.getReader()
    .cancel()
    .catch(() => undefined);
}
