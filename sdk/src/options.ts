import { type CredentialStore, memoryCredentials } from './credentials/credential-store.ts';
import { withDebugOutput } from './debug.ts';
import { requireInteger } from './integer-option.ts';
import { checkOptions, type OptionKinds, objectWithMethods, optionKinds } from './known-options.ts';
import type { ClientState } from './state/client-state.ts';
import { memoryState } from './state/memory-state.ts';
import {
  type Fetch,
  type OpenStream,
  retriesMax,
  type TransportSettings,
  timerMaxMs,
} from './transport/call-options.ts';
import type { Hooks } from './transport/hooks.ts';
import { type Sleep, sleep } from './transport/sleep.ts';
import { parseBaseUrl, parseStreamUrl } from './transport/urls.ts';

/** Options of an `AgentPlatform`. */
export interface AgentPlatformOptions {
  /** The address of the server: its origin, and its path prefix if any. Plain http is only allowed for this machine. */
  readonly baseUrl: string | URL;
  /** Default: `memoryCredentials()`. */
  readonly credentials?: CredentialStore | undefined;
  /**
   * Stores the outbox, inbox, pinned keys and nonces. Default: `memoryState()`, which is lost when the process ends,
   * unlike `folderState` and `sqliteState`.
   */
  readonly state?: ClientState | undefined;
  /**
   * The address of the event stream, without its path, if it differs from `baseUrl`. The token is sent to it. Plain ws
   * is only allowed for this machine.
   */
  readonly wsUrl?: string | URL | undefined;
  /** Milliseconds without a frame after which an event stream counts as dead. Default 50,000; from 1,000 to 600,000. */
  readonly streamSilenceMs?: number | undefined;
  /** The time limit of one attempt, from connecting to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of retries after the first attempt; only safe requests are retried. Default 3, at most 20. */
  readonly maxRetries?: number | undefined;
  /** The maximum total delay between the attempts of one call. Default 60,000. */
  readonly maxRetryWaitMs?: number | undefined;
  /** Allows plain http and ws to other machines, over which the token is sent unencrypted. Default false. */
  readonly allowPlainHttp?: boolean | undefined;
  /**
   * Whether the event stream and `orders.work` rotate the token at 80 % of its lifetime. Default true. Set it to false
   * if several machines have copies of one credential, because a rotation invalidates the token on all of them.
   */
  readonly rotateToken?: boolean | undefined;
  readonly hooks?: Hooks | undefined;
  /** Default: in Node.js, undici with the dispatcher of the global `fetch`; elsewhere, the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Opens the event stream. Default: a `WebSocket` from `ws`. `@agent-platform/sdk/testing` has a fake one. */
  readonly openStream?: OpenStream | undefined;
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Returns a number from 0 to below 1; used only for jitter. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly sleep?: Sleep | undefined;
}

/** The validated options, with defaults. */
export interface ClientSettings extends TransportSettings {
  readonly credentials: CredentialStore;
  readonly state: ClientState;
  /** The full address of the event stream. */
  readonly wsUrl: URL;
  readonly streamSilenceMs: number;
  readonly rotateToken: boolean;
  readonly openStream: OpenStream;
}

const { number, callback, flag, address, record } = optionKinds;

const hookKinds: OptionKinds<Hooks> = {
  onRequest: callback,
  onResponse: callback,
  onRetry: callback,
  onStream: callback,
  onHandlerFailure: callback,
  onTokenRotation: callback,
};

export const clientOptionKinds: OptionKinds<AgentPlatformOptions> = {
  baseUrl: address,
  credentials: objectWithMethods(
    ['load', 'save', 'check'],
    "a credential store, such as fileCredentials('./alice.json')",
  ),
  state: objectWithMethods(['open', 'close'], "a state, such as folderState('./alice-state')"),
  wsUrl: address,
  streamSilenceMs: number,
  timeoutMs: number,
  maxRetries: number,
  maxRetryWaitMs: number,
  allowPlainHttp: flag,
  rotateToken: flag,
  hooks: record,
  fetch: callback,
  openStream: callback,
  now: callback,
  random: callback,
  sleep: callback,
};

export function resolveClientOptions(
  options: AgentPlatformOptions,
  runtime: Pick<ClientSettings, 'exchange' | 'openStream'>,
): ClientSettings {
  checkOptions('new AgentPlatform()', options, clientOptionKinds);
  checkOptions('hooks', options.hooks ?? {}, hookKinds);
  const allowPlain = options.allowPlainHttp ?? false;
  const baseUrl = parseBaseUrl(options.baseUrl, allowPlain);
  return Object.freeze({
    baseUrl,
    credentials: options.credentials ?? memoryCredentials(),
    state: options.state ?? memoryState(),
    wsUrl: parseStreamUrl(options.wsUrl, baseUrl, allowPlain),
    streamSilenceMs: requireInteger('streamSilenceMs', options.streamSilenceMs ?? 50_000, 1_000, 600_000),
    rotateToken: options.rotateToken ?? true,
    openStream: options.openStream ?? runtime.openStream,
    timeoutMs: requireInteger('timeoutMs', options.timeoutMs ?? 30_000, 1, timerMaxMs),
    maxRetries: requireInteger('maxRetries', options.maxRetries ?? 3, 0, retriesMax),
    maxRetryWaitMs: requireInteger('maxRetryWaitMs', options.maxRetryWaitMs ?? 60_000, 0, timerMaxMs),
    hooks: withDebugOutput(options.hooks ?? {}),
    fetch: options.fetch,
    exchange: runtime.exchange,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  });
}
