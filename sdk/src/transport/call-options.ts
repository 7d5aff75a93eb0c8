import { readInteger } from '../integer-option.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import type { Hooks } from './hooks.ts';
import type { FetchResponse } from './read-body.ts';
import type { Sleep } from './sleep.ts';

/** The options of a `fetch` call. */
export interface FetchInit {
  readonly method: string;
  readonly headers: [string, string][];
  /** A stream for an upload: it is then sent as it is read. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  /** Goes with a stream. */
  readonly duplex?: 'half';
  /** Redirects are inspected, never followed. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Sends a request. It has to support `signal` and `redirect`, as undici's `fetch` and the global one do. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Options of every call. */
export interface CallOptions {
  /** Aborting rejects the call at once with the signal's reason; it does not undo effects on the server. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Additional headers. Headers that this package sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The settings of the transport. */
export interface TransportSettings {
  readonly baseUrl: URL;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryWaitMs: number;
  readonly hooks: Hooks;
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** The longest delay of a timer. */
export const timerMaxMs = 2_147_483_647;
/** The most repeats of one call. */
export const retriesMax = 20;

/** The kinds of the options of every call. */
export const callOptionKinds: OptionKinds<CallOptions> = {
  signal: optionKinds.signal,
  timeoutMs: optionKinds.number,
  maxRetries: optionKinds.number,
  headers: optionKinds.record,
};

/** Checks the options that a call has in common with all others, and those of its own. */
export function checkCallOptions<Options extends CallOptions>(
  call: string,
  options: Options,
  own: OptionKinds<Omit<Options, keyof CallOptions>>,
): void {
  checkOptions<object>(call, options, { ...callOptionKinds, ...own });
}

/** The limits of one call: its own options before those of the client. */
export function readCallLimits(
  settings: TransportSettings,
  options: CallOptions,
): { timeoutMs: number; maxRetries: number } {
  return {
    timeoutMs: readInteger('timeoutMs', options.timeoutMs ?? settings.timeoutMs, 1, timerMaxMs),
    maxRetries: readInteger('maxRetries', options.maxRetries ?? settings.maxRetries, 0, retriesMax),
  };
}
