import { readInteger } from '../integer-option.ts';
import type { Hooks } from './hooks.ts';
import type { FetchResponse } from './read-body.ts';
import type { Sleep } from './sleep.ts';

/** What is handed to `fetch`. */
export interface FetchInit {
  readonly method: string;
  readonly headers: [string, string][];
  /** A stream for an upload: it is then sent as it is read. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  /** Goes with a stream. */
  readonly duplex?: 'half';
  /** An answer that points elsewhere is looked at, never followed. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The way to the network. It has to honour `signal` and `redirect`, as undici's and the global one do. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What every call takes beside its own arguments. */
export interface CallOptions {
  /** Aborting rejects the call at once with the signal's reason; what the server has done by then stays done. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Additional headers. Those that this package sets itself cannot be given. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What the transport works with. */
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
