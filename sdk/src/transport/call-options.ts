import { requireInteger } from '../integer-option.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import type { Hooks } from './hooks.ts';
import type { BufferedRequest, BufferedResponse } from './http/whole-exchange.ts';
import type { FetchResponse } from './read-body.ts';
import type { Sleep } from './sleep.ts';

/** The options of a `fetch` call. */
export interface FetchInit {
  readonly method: string;
  readonly headers: [string, string][];
  /** For an upload, a stream that is sent while it is being read; in a browser or worker, the bytes. */
  readonly body: string | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
  /** Required if the body is a stream. */
  readonly duplex?: 'half';
  /** Redirects are inspected, never followed. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Sends a request. It must support `signal` and `redirect`, like undici's `fetch` and the global one. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Sends a request with a short body and reads the response; resolves to undefined if `fetch` must be used. */
type Exchange = (request: BufferedRequest, signal: AbortSignal) => Promise<BufferedResponse | undefined>;

/** Why an event stream ended; this decides whether and when the client connects again. */
export type StreamEnding =
  /** The server closed the connection with a code. */
  | { readonly kind: 'closed'; readonly code: number }
  /** The connection broke, timed out, failed to open, or delivered an invalid frame. */
  | { readonly kind: 'lost' }
  /** The upgrade was refused with an HTTP status. */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterSeconds: number | null };

/** The options of a connection to the event stream. */
export interface StreamOptions {
  /** The address of the event stream, including its path. */
  readonly url: URL;
  /** The bearer token, which must only be sent in the header. */
  readonly token: string;
  /** The time limit for opening the connection, in milliseconds. */
  readonly timeoutMs: number;
  /** A connection that receives no frame for this many milliseconds counts as dead. */
  readonly silenceMs: number;
  readonly onOpen: () => void;
}

/** An open or opening connection to the event stream. */
export interface StreamConnection {
  /** Resolves when the connection has ended for any reason; never rejects. */
  readonly ended: Promise<{ readonly ending: StreamEnding; readonly why: string }>;
  /** The text frames, grouped by arrival. Iterate only once; the connection is paused while 256 frames wait. */
  readonly texts: AsyncIterable<readonly string[]>;
  /** Sends a frame; returns false if the connection is closed. */
  send(text: string): boolean;
  /** Starts the closing handshake, and terminates the connection if it takes longer than 1 s. */
  close(): void;
  /** Terminates the connection as broken. */
  drop(why: string): void;
}

/** Opens a connection to the event stream. */
export type OpenStream = (options: StreamOptions) => Promise<StreamConnection>;

/** Options of every call. */
export interface CallOptions {
  /** Aborting rejects the call immediately with the signal's reason; it does not undo effects on the server. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Additional headers. Headers that this package itself sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface TransportSettings {
  readonly baseUrl: URL;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryWaitMs: number;
  readonly hooks: Hooks;
  /** If undefined, the fastest HTTP client of the runtime is used. */
  readonly fetch: Fetch | undefined;
  /** Sends requests faster than `fetch`; undefined if the runtime has no such client. */
  readonly exchange: Exchange | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** The maximum delay of `setTimeout` in milliseconds; a longer one would end immediately. */
export const timerMaxMs = 2_147_483_647;
export const retriesMax = 20;

export const callOptionKinds: OptionKinds<CallOptions> = {
  signal: optionKinds.signal,
  timeoutMs: optionKinds.number,
  maxRetries: optionKinds.number,
  headers: optionKinds.record,
};

export function checkCallOptions<Options extends CallOptions>(
  call: string,
  options: Options,
  own: OptionKinds<Omit<Options, keyof CallOptions>>,
): void {
  checkOptions<object>(call, options, { ...callOptionKinds, ...own });
}

export function resolveCallLimits(
  settings: TransportSettings,
  options: CallOptions,
): { timeoutMs: number; maxRetries: number } {
  return {
    timeoutMs: requireInteger('timeoutMs', options.timeoutMs ?? settings.timeoutMs, 1, timerMaxMs),
    maxRetries: requireInteger('maxRetries', options.maxRetries ?? settings.maxRetries, 0, retriesMax),
  };
}
