import type { ClientEndpoint } from '@agent-platform/contract/client';
import type { PlatformError } from '../errors.ts';
import { warn } from '../host.ts';

/** The attempt for which a hook is called. */
export interface AttemptContext {
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** The argument of `onRequest`, which is called before an attempt is sent. */
export interface RequestContext extends AttemptContext {
  /** A copy in which secrets are replaced by `[hidden]`. */
  readonly headers: Headers;
}

/** The argument of `onResponse`, which is called after a complete response. */
export interface ResponseContext extends AttemptContext {
  readonly status: number;
  /** A copy in which secrets are replaced by `[hidden]`. */
  readonly headers: Headers;
  readonly requestId: string | null;
  /** The time from the request to the last byte of the response. */
  readonly durationMs: number;
}

/** The argument of `onRetry`, which is called before the delay that precedes the next attempt. */
export interface RetryContext extends AttemptContext {
  /** Why the attempt failed. */
  readonly error: PlatformError;
  readonly waitMs: number;
}

/** The argument of `onStream`, which is called when the event stream opens or closes. */
export type StreamChange =
  | { readonly state: 'open' }
  | {
      readonly state: 'closed';
      /** The close code and its reason, or another cause. */
      readonly why: string;
      /** Milliseconds until the next connection attempt. */
      readonly waitMs: number;
    };

interface FailedAttempt {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The error that the handler threw or rejected with. */
  readonly error: unknown;
}

/** The argument of `onHandlerFailure` if a handler of `events.run()` failed or an event was parked unhandled. */
export interface EventHandlerFailure extends FailedAttempt {
  readonly source: 'event';
  readonly eventId: string;
  readonly kind: string;
  /** Milliseconds until the next attempt; null if the event was parked, so that `events.replay(eventId)` is needed. */
  readonly waitMs: number | null;
  /**
   * Whether the server was unavailable. In this case, the attempt does not count, the event is not parked, and later
   * attempts during the outage are not reported.
   */
  readonly isOutage: boolean;
  /** Whether a retry would fail in the same way, for example after a block; the event is then finished, not parked. */
  readonly isFinal: boolean;
}

/** The argument of `onHandlerFailure` if the handler of `orders.work()` failed. */
export interface OrderHandlerFailure extends FailedAttempt {
  readonly source: 'order';
  readonly kind: 'orders.work';
  readonly orderId: string;
  /** The version of the order that the handler received. */
  readonly version: number;
  /** Milliseconds until the next attempt; a change of the order ends the delay. */
  readonly waitMs: number;
}

/** The argument of `onHandlerFailure`, which is called after a handler has failed. */
export type HandlerFailure = EventHandlerFailure | OrderHandlerFailure;

/** The argument of `onTokenRotation`, which is called after each attempt to rotate the token automatically. */
export type TokenRotation =
  | { readonly state: 'rotated'; readonly tokenExpiresAt: string | null }
  | {
      readonly state: 'failed';
      readonly error: unknown;
      /** When the agent loses access; ISO 8601. */
      readonly tokenExpiresAt: string | null;
      /** Milliseconds until the next attempt. */
      readonly waitMs: number;
    };

/**
 * Functions that are called on attempts, stream changes, handler failures and token rotations. They receive neither
 * bodies nor the token, even if the server echoes the token. They cannot affect a call: errors of a hook are only
 * passed to `process.emitWarning`, because a faulty hook must not make an agent lose its new token.
 */
export interface Hooks {
  readonly onRequest?: ((info: RequestContext) => void) | undefined;
  readonly onResponse?: ((info: ResponseContext) => void) | undefined;
  readonly onRetry?: ((info: RetryContext) => void) | undefined;
  readonly onStream?: ((info: StreamChange) => void) | undefined;
  /** Without this hook, failures are reported to `process.emitWarning` as `AgentPlatformHandlerWarning`. */
  readonly onHandlerFailure?: ((info: HandlerFailure) => void) | undefined;
  /** Without this hook, failures are reported to `process.emitWarning` as `AgentPlatformTokenWarning`. */
  readonly onTokenRotation?: ((info: TokenRotation) => void) | undefined;
}

// Common names of headers that contain secrets, such as `set-cookie`, `x-api-key` and `x-vault-token`. The pattern is
// broad, because hiding a header needlessly does little harm.
const secretHeader =
  /^(set-)?cookie$|(^|[-_])(auth|authorization|token|secret|password|credentials?|(api|access|auth|secret)[-_]?key)$/;

export function describeAttempt(operation: ClientEndpoint, url: string, attempt: number): AttemptContext {
  return { operationId: operation.id, method: operation.method, url, attempt };
}

export function redactHeaders(headers: Headers, hide: (text: string) => string): Headers {
  const copy = new Headers();
  for (const [name, value] of headers) copy.append(name, secretHeader.test(name) ? '[hidden]' : hide(value));
  return copy;
}

/** A failure of the hook is reported as a warning and does not affect the call. */
export function callHook<Info>(hook: ((info: Info) => unknown) | undefined, info: Info): void {
  try {
    const result = hook?.(info);
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  warn(`A hook of AgentPlatform failed; the call continued. ${text}`, 'AgentPlatformHookWarning');
}
