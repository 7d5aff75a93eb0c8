import { fetch as undiciFetch } from 'undici';
import { type CredentialStore, memoryCredentials } from './credentials.ts';
import { ConfigurationError } from './errors.ts';
import type { ClientState } from './state/client-state.ts';
import { memoryState } from './state/memory-state.ts';
import type { Hooks } from './transport/hooks.ts';
import type { FetchResponse } from './transport/read-body.ts';
import { type Sleep, sleep } from './transport/sleep.ts';
import { parseBaseUrl, parseStreamUrl } from './transport/urls.ts';

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

/** How an `AgentPlatform` is made. */
export interface AgentPlatformOptions {
  /** The server: its origin, and a path prefix if it has one. Plain http only to this machine. */
  readonly baseUrl: string | URL;
  /** Default: `memoryCredentials()`. */
  readonly credentials?: CredentialStore | undefined;
  /**
   * Outbox, inbox and pinned keys. Default: `memoryState()`, which forgets them
   * when the process ends; `folderState` and `sqliteState` do not.
   */
  readonly state?: ClientState | undefined;
  /** The event stream, without its path, where it is not at `baseUrl`. The token is shown to it. Plain ws only to this machine. */
  readonly wsUrl?: string | URL | undefined;
  /** An event stream on which nothing comes for so long is dead. Default 50,000; from 1,000 to 600,000. */
  readonly streamSilenceMs?: number | undefined;
  /** For one attempt, from connecting to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Repeats after the first attempt, where repeating is safe. Default 3, at most 20. */
  readonly maxRetries?: number | undefined;
  /** For all waiting between the attempts of one call. Default 60,000. */
  readonly maxRetryWaitMs?: number | undefined;
  /** Allows http and ws to other machines: the token then travels in clear. Default false. */
  readonly allowPlainHttp?: boolean | undefined;
  readonly hooks?: Hooks | undefined;
  /** Default: undici's. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 up to 1, for jitter only. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly sleep?: Sleep | undefined;
}

/** What every call takes beside its own arguments. */
export interface CallOptions {
  /** Aborting rejects the call at once with the signal's reason; what the server has done by then stays done. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Additional headers. Those that this package sets itself cannot be given. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The options, checked and complete. */
export interface Settings {
  readonly baseUrl: URL;
  readonly credentials: CredentialStore;
  readonly state: ClientState;
  /** With the path of the stream. */
  readonly wsUrl: URL;
  readonly streamSilenceMs: number;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryWaitMs: number;
  readonly hooks: Hooks;
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
}

// The longest delay that a timer takes.
const timerMaxMs = 2_147_483_647;
const retriesMax = 20;

/** Checks the options once and fills in the defaults. */
export function readOptions(options: AgentPlatformOptions): Settings {
  const allowPlain = options.allowPlainHttp ?? false;
  const baseUrl = parseBaseUrl(options.baseUrl, allowPlain);
  return Object.freeze({
    baseUrl,
    credentials: options.credentials ?? memoryCredentials(),
    state: options.state ?? memoryState(),
    wsUrl: parseStreamUrl(options.wsUrl, baseUrl, allowPlain),
    streamSilenceMs: integer('streamSilenceMs', options.streamSilenceMs ?? 50_000, 1_000, 600_000),
    timeoutMs: integer('timeoutMs', options.timeoutMs ?? 30_000, 1, timerMaxMs),
    maxRetries: integer('maxRetries', options.maxRetries ?? 3, 0, retriesMax),
    maxRetryWaitMs: integer('maxRetryWaitMs', options.maxRetryWaitMs ?? 60_000, 0, timerMaxMs),
    hooks: options.hooks ?? {},
    fetch: options.fetch ?? undiciFetch,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  });
}

/** The limits of one call: its own options before those of the client. */
export function limitsOfCall(settings: Settings, options: CallOptions): { timeoutMs: number; maxRetries: number } {
  return {
    timeoutMs: integer('timeoutMs', options.timeoutMs ?? settings.timeoutMs, 1, timerMaxMs),
    maxRetries: integer('maxRetries', options.maxRetries ?? settings.maxRetries, 0, retriesMax),
  };
}

function integer(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigurationError(`${name} is ${value}; it has to be an integer from ${min} to ${max}.`);
  }
  return value;
}
