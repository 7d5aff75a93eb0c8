import { setTimeout as wait } from 'node:timers/promises';
import type { TrustedAddress } from '../../rolling-restart/balancer.ts';
import { type KeepAliveRequestOptions, makeKeepAliveClient } from '../../rolling-restart/keep-alive-client.ts';
import type { Json } from '../../test-server.ts';
import type { Observations } from '../observations.ts';

interface Success {
  readonly status: number;
  readonly body: Json;
  readonly bytes: Buffer;
}

/** A request without a 2xx response: it was permanently refused, or its outcome is unknown. */
interface Failure {
  readonly cause: string;
  readonly isUnknown: boolean;
  readonly retryAfterMs: number;
}

/** A request was refused permanently, or repeatedly for too long. */
export class RequestRefusedError extends Error {
  readonly code: string;

  constructor(request: string, code: string, afterMs: number) {
    super(`${request}: ${code} after ${(afterMs / 1_000).toFixed(1)} s`);
    this.code = code;
  }
}

/** A client with a single connection that records every attempt. */
export type ChaosClient = ReturnType<typeof makeChaosClient>;

/** Longer than every time limit of the server. */
const timeoutMs = 40_000;
/** The time for which a client retries a request; longer than any fault. */
const patienceMs = 150_000;
/** The retry time for an unavailable upload id; it stays unavailable if a server has abandoned the upload (§5.8). */
const uploadPatienceMs = 5_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

export function makeChaosClient(address: TrustedAddress, observations: Observations) {
  const client = makeKeepAliveClient(address);

  async function send(kind: string, method: string, path: string, sent: KeepAliveRequestOptions, isRepeat: boolean) {
    const sentMs = performance.now();
    const outcome = await client.send(method, path, { timeoutMs, ...sent }).then(readAnswer, readError);
    const cause = 'cause' in outcome ? outcome.cause : undefined;
    // The first attempt may still be in progress, or its lease may still reserve the id.
    const isBusy = isRepeat && cause === 'upload_unavailable';
    observations.note(kind, sentMs, isBusy ? `${cause} after an unknown outcome` : cause);
    return outcome;
  }

  return {
    /** Does not retry. */
    once: (kind: string, method: string, path: string, sent: KeepAliveRequestOptions): Promise<Success | Failure> =>
      send(kind, method, path, sent, false),
    /** Repeats the identical request until its outcome is known; throws if it is refused. */
    untilDone: async (kind: string, method: string, path: string, sent: KeepAliveRequestOptions): Promise<Success> => {
      const startedMs = performance.now();
      let unavailableMs: number | undefined;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        const outcome = await send(kind, method, path, sent, pauseMs > firstPauseMs);
        if (!('cause' in outcome)) return outcome;
        const nowMs = performance.now();
        // Other failures in between, such as those of a restarting database, are unrelated to the upload.
        const isUnavailable = outcome.cause === 'upload_unavailable';
        if (isUnavailable) unavailableMs ??= nowMs;
        const isLeft = isUnavailable && nowMs - (unavailableMs ?? nowMs) > uploadPatienceMs;
        if (!outcome.isUnknown || isLeft || nowMs - startedMs > patienceMs)
          throw new RequestRefusedError(`${method} ${path}`, outcome.cause, nowMs - startedMs);
        await wait(Math.max(pauseMs, outcome.retryAfterMs));
      }
    },
    close: client.close,
  };
}

type Answer = Awaited<ReturnType<ReturnType<typeof makeKeepAliveClient>['send']>>;

function readAnswer({ status, headers, body: bytes }: Answer): Success | Failure {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  const body = (isJson ? JSON.parse(String(bytes)) : {}) as Json;
  if (status >= 200 && status < 300) return { status, body, bytes };
  const code = body['error']?.['code'];
  return {
    // Only responses of the server itself have a code.
    cause: code === undefined ? `${status} of the proxy` : String(code),
    isUnknown: status === 429 || status >= 500 || code === 'upload_unavailable',
    retryAfterMs: 1_000 * Number(headers['retry-after'] ?? 0),
  };
}

function readError(error: NodeJS.ErrnoException): Failure {
  const cause = error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer' : 'connection lost';
  return { cause, isUnknown: true, retryAfterMs: 0 };
}
