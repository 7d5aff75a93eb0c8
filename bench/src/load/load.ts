import { createHistogram } from 'node:perf_hooks';
import { Client, type Dispatcher } from 'undici';

export interface LoadTarget {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The expected length of every response body; another length is an error. */
  readonly bodyBytes: number;
  /** Creates the body of the next request; if set, the requests are POST requests. */
  readonly nextBody?: () => string;
  /** The expected status: 200, or 201 for requests with a body. */
  readonly status?: number;
}

export type LoadDuration = { readonly seconds: number } | { readonly requests: number };

export type LoadResult = Awaited<ReturnType<typeof runLoadPerConnection>>;

export const defaultConnectionCount = 16;

/**
 * Uses 16 persistent connections without pipelining. Uses the dispatcher API of undici, because on a small machine the
 * load generator competes with the server for processor time.
 *
 * @throws Error a response has an unexpected status or length
 */
export async function runLoad(target: LoadTarget, extent: LoadDuration): Promise<LoadResult> {
  return await runLoadPerConnection(
    Array.from({ length: defaultConnectionCount }, () => target),
    extent,
  );
}

export async function runLoadPerConnection(targets: readonly LoadTarget[], extent: LoadDuration) {
  const sending = targets.map((target) => ({ target, client: new Client(target.url, { pipelining: 1 }) }));
  const latency = createHistogram();
  const started = performance.now();
  const mayStart = makeQuota(extent, started);
  try {
    const record = latency.record.bind(latency);
    await Promise.all(sending.map(({ client, target }) => keepSending(client, target, mayStart, record)));
    const seconds = (performance.now() - started) / 1_000;
    return {
      count: latency.count,
      perSecond: latency.count / seconds,
      p50Ms: latency.percentile(50) / 1_000,
      p99Ms: latency.percentile(99) / 1_000,
    };
  } finally {
    await Promise.all(sending.map(({ client }) => client.destroy()));
  }
}

function makeQuota(extent: LoadDuration, startedMs: number): () => boolean {
  if ('seconds' in extent) return () => performance.now() - startedMs < extent.seconds * 1_000;
  let left = extent.requests;
  return () => {
    left -= 1;
    return left >= 0;
  };
}

function keepSending(
  client: Client,
  target: LoadTarget,
  mayStart: () => boolean,
  recordMicroseconds: (value: number) => void,
): Promise<void> {
  const { path, headers, nextBody } = target;
  const makeRequest = (): Dispatcher.DispatchOptions =>
    nextBody === undefined ? { method: 'GET', path, headers } : { method: 'POST', path, headers, body: nextBody() };
  const goodStatus = target.status ?? (nextBody === undefined ? 200 : 201);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sentMs = 0;
  let status = 0;
  let bytes = 0;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode) => {
      status = statusCode;
    },
    onResponseData: (_controller, chunk) => {
      bytes += chunk.length;
    },
    onResponseEnd: () => {
      recordMicroseconds(Math.max(1, Math.round((performance.now() - sentMs) * 1_000)));
      if (status === goodStatus && bytes === target.bodyBytes) send();
      else reject(new Error(`${target.url}${target.path} responded with ${status} and ${bytes} bytes.`));
    },
    onResponseError: (_controller, error) => reject(error),
  };
  function send(): void {
    if (mayStart()) {
      bytes = 0;
      sentMs = performance.now();
      client.dispatch(makeRequest(), handler);
    } else resolve();
  }
  send();
  return promise;
}
