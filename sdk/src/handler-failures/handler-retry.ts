import { ApiError, EnvelopeError, KeyChangedError } from '../errors.ts';
import { computeBackoffMs } from '../transport/retry.ts';

const firstMs = 1_000;
const maxMs = 300_000;

type HandlerRetryDecision = { readonly action: 'again'; readonly waitMs: number } | { readonly action: 'park' };

/**
 * Decides whether to call a failed handler again: after 1 s, 2 s, 4 s, up to 5 min, with 50 % jitter; after
 * `attemptsMax` attempts the event is parked.
 *
 * @param attempt the number of the failed attempt, from 1
 * @param random a number from 0 to below 1
 */
export function decideHandlerRetry(attempt: number, attemptsMax: number, random: number): HandlerRetryDecision {
  if (attempt >= attemptsMax) return { action: 'park' };
  return { action: 'again', waitMs: handlerBackoffMs(attempt, random) };
}

/** The delay after a failed attempt; the parameters are those of `decideHandlerRetry`. */
export function handlerBackoffMs(attempt: number, random: number): number {
  return computeBackoffMs(firstMs, maxMs, attempt - 1, random);
}

/** Whether an error or one of its causes means that an envelope cannot be opened, so that a retry is useless. */
export function isEnvelopeFailure(error: unknown, depth = 0): boolean {
  if (error instanceof EnvelopeError) return error.code !== 'invalid_text' && error.code !== 'plaintext_too_long';
  return error instanceof Error && depth < 5 && isEnvelopeFailure(error.cause, depth + 1);
}

/** Whether a retry is useless: the envelope cannot be opened, the agents are not friends, or a key has changed. */
export function isFinalFailure(error: unknown): boolean {
  if (error instanceof KeyChangedError || isEnvelopeFailure(error)) return true;
  return error instanceof ApiError && (error.code === 'contact_not_accepted' || error.code === 'contact_blocked');
}
