import { ConnectionError } from '../errors.ts';
import { isServerRuntime } from '../host.ts';
import type { Fetch, FetchInit, TransportSettings } from './call-options.ts';
import { ResponseHeaders } from './http/response-headers.ts';
import { containsSecret, describeConnectFailure, wasNotSent } from './network-failure.ts';
import type { RawResponse } from './parse-response.ts';
import { discardBody, type FetchResponse, readBody, responseMaxBytes } from './read-body.ts';

export interface OutgoingRequest {
  readonly method: string;
  readonly origin: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body, or a function that opens a new upload stream for each attempt. */
  readonly body: string | (() => ReadableStream<Uint8Array>) | null;
  /** Whether a success response is returned before its body is read. */
  readonly leavesBody: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Replaces known secrets in a text. */
  readonly hide: (text: string) => string;
}

type RequestWay = Pick<TransportSettings, 'fetch' | 'exchange'>;

type AttemptResult =
  | { readonly kind: 'response'; readonly response: RawResponse }
  | { readonly kind: 'not-sent' | 'lost' | 'redirected'; readonly error: ConnectionError };

/**
 * Throws only the reason of the caller's signal; other failures are results. Without a `fetch`, the runtime's fastest
 * client is used.
 */
export async function sendRequest(way: RequestWay, request: OutgoingRequest): Promise<AttemptResult> {
  const { signal, timeoutMs } = request;
  signal?.throwIfAborted();
  const controller = new AbortController();
  // The listener is removed after the call, because callers may use one signal for many calls.
  const onAbort = () => controller.abort();
  signal?.addEventListener('abort', onAbort, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, timeoutMs);
  try {
    return await exchangeIn(way, request, controller.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (timedOut) return { kind: 'lost', error: timeoutError(request) };
    return failed(request, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function exchangeIn(way: RequestWay, request: OutgoingRequest, signal: AbortSignal): Promise<AttemptResult> {
  const { fetch, exchange } = way;
  const { origin, url, method, headers, body } = request;
  const isWhole = typeof body !== 'function' && !request.leavesBody;
  const whole = { origin, path: url.slice(origin.length), method, headers, body: isWhole ? body : null };
  const response = fetch === undefined && isWhole ? await exchange?.(whole, signal) : undefined;
  if (response === undefined) return await exchangeByFetch(fetch ?? globalThis.fetch, request, signal);
  if (isRedirect(response)) return redirected(request, response.status, response.headers);
  return { kind: 'response', response };
}

async function exchangeByFetch(fetch: Fetch, request: OutgoingRequest, signal: AbortSignal): Promise<AttemptResult> {
  const response = await fetch(request.url, {
    method: request.method,
    headers: Object.entries(request.headers),
    ...(await openBody(request.body)),
    redirect: 'manual',
    signal,
  });
  const headers = new ResponseHeaders(new Headers([...response.headers]));
  if (isRedirect(response)) {
    await discardBody(response);
    return redirected(request, response.status, headers);
  }
  if (request.leavesBody && response.body !== null && response.status >= 200 && response.status < 300) {
    return { kind: 'response', response: { status: response.status, headers, bytes: undefined, body: response.body } };
  }
  const bytes = await readBody(response, responseMaxBytes);
  return { kind: 'response', response: { status: response.status, headers, bytes } };
}

async function openBody(body: OutgoingRequest['body']): Promise<Pick<FetchInit, 'body' | 'duplex'>> {
  if (typeof body !== 'function') return { body };
  if (isServerRuntime) return { body: body(), duplex: 'half' };
  // Browsers send streams only over HTTP/2, and some not at all, so the whole body is read first.
  return { body: new Uint8Array(await new Response(body()).arrayBuffer()) };
}

// Browsers report a redirect only by its type; the status is 0.
function isRedirect(response: Pick<FetchResponse, 'status' | 'type'>): boolean {
  return (response.status >= 300 && response.status < 400) || response.type === 'opaqueredirect';
}

function redirected(request: OutgoingRequest, status: number, headers: ResponseHeaders): AttemptResult {
  const location = headers.get('location');
  const where = location === null ? 'no location' : JSON.stringify(request.hide(location).slice(0, 500));
  return {
    kind: 'redirected',
    error: new ConnectionError(
      'redirect_refused',
      `${request.origin} returned ${status} and redirected to ${where}. The token is bound to one origin, so the redirect was not followed. Use the final address as baseUrl.`,
    ),
  };
}

function timeoutError(request: OutgoingRequest): ConnectionError {
  return new ConnectionError(
    'timeout',
    `${request.origin} did not send a complete response within ${request.timeoutMs} ms; increase timeoutMs for a slow server`,
  );
}

function failed(request: OutgoingRequest, error: unknown): AttemptResult {
  const notSent = wasNotSent(error);
  const what = notSent ? 'could not be reached' : 'closed the connection';
  return {
    kind: notSent ? 'not-sent' : 'lost',
    error: new ConnectionError(
      'connection_failed',
      `${request.origin} ${what}: ${request.hide(describeConnectFailure(request.origin, error))}`,
      containsSecret(error, request.hide) ? undefined : error,
    ),
  };
}
