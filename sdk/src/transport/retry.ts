import { permanentLimitCodes, type Repeatability } from '@agent-platform/contract/client';
import type { ApiError, ApiErrorCode } from '../errors.ts';

/**
 * How an attempt failed:
 * - `refused`: the server responded with an error;
 * - `not-sent`: the request was certainly not sent;
 * - `lost`: the request may have arrived, but no complete response was received;
 * - `unreadable`: a complete but invalid success response was received;
 * - `redirected`: the response was a redirect.
 */
export type AttemptFailure =
  | { readonly kind: 'refused'; readonly error: Pick<ApiError, 'status' | 'code' | 'retryAfterSeconds'> }
  | { readonly kind: 'not-sent' | 'lost' | 'unreadable' | 'redirected' };

export interface RetryBudget {
  /** The number of retries so far. */
  readonly retries: number;
  readonly maxRetries: number;
  /** The maximum total of the remaining delays between attempts. */
  readonly waitLeftMs: number;
}

export type RetryDecision =
  | { readonly action: 'repeat'; readonly waitMs: number }
  | { readonly action: 'fail' }
  | { readonly action: 'fail-unknown' };

const backoffFirstMs = 250;
const backoffMaxMs = 8_000;
const jitterMaxMs = 250;

/**
 * Follows §8.13 to §8.18: an operation that must not be repeated is never retried, and a 4xx is final, except a 429 for
 * a limit that expires.
 *
 * @param random a number from 0 up to 1, for the jitter
 */
export function decideRetry(
  repeat: Repeatability,
  failure: AttemptFailure,
  budget: RetryBudget,
  random: number,
): RetryDecision {
  if (repeat === 'never') return { action: mayHaveHadEffect(failure) ? 'fail-unknown' : 'fail' };
  if (!isTemporary(failure) || budget.retries >= budget.maxRetries) return { action: 'fail' };
  const waitMs = waitBefore(failure, budget.retries, random);
  return waitMs > budget.waitLeftMs ? { action: 'fail' } : { action: 'repeat', waitMs };
}

/** The value of `ApiError.retryable`: whether the same call may succeed later. */
export function mayRetryLater(repeat: Repeatability, status: number, code: ApiErrorCode): boolean {
  // A request that gets a 429 has had no effect, so every operation can be repeated after a wait.
  if (status === 429) return code === 'unknown' || !permanentLimitCodes.has(code);
  return status >= 500 && repeat !== 'never';
}

function isTemporary(failure: AttemptFailure): boolean {
  if (failure.kind === 'refused') return mayRetryLater('safe', failure.error.status, failure.error.code);
  return failure.kind === 'lost' || failure.kind === 'not-sent';
}

export function mayHaveHadEffect(failure: AttemptFailure): boolean {
  if (failure.kind === 'refused') return failure.error.status >= 500;
  return failure.kind === 'lost' || failure.kind === 'unreadable';
}

// Clients that were refused at the same time must not retry at the same time, so even a delay set by the server gets
// jitter.
function waitBefore(failure: AttemptFailure, retries: number, random: number): number {
  const askedSeconds = failure.kind === 'refused' ? failure.error.retryAfterSeconds : null;
  if (askedSeconds !== null) return Math.round(askedSeconds * 1_000 + random * jitterMaxMs);
  return computeBackoffMs(backoffFirstMs, backoffMaxMs, retries, random);
}

/**
 * The delay doubles from `firstMs` to `maxMs`. Up to half of it is random, so that clients that failed at the same time
 * retry at different times.
 *
 * @param repeats the number of retries so far
 * @param random a number from 0 up to 1
 */
export function computeBackoffMs(firstMs: number, maxMs: number, repeats: number, random: number): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(repeats, 20));
  return Math.round(ceilingMs / 2 + (random * ceilingMs) / 2);
}
