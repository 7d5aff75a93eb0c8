const firstMs = 1_000;
const mostMs = 300_000;

/** What becomes of an event whose handler failed. */
export type HandlerRetryDecision = { readonly action: 'again'; readonly waitMs: number } | { readonly action: 'park' };

/**
 * The rule of handling again: after 1 s, 2 s, 4 s, up to 5 min, half of each
 * random; after `attemptsMax` attempts the event is put aside.
 *
 * @param attempt 1 for the one that has just failed
 * @param random a number from 0 up to 1
 */
export function decideHandlerRetry(attempt: number, attemptsMax: number, random: number): HandlerRetryDecision {
  if (attempt >= attemptsMax) return { action: 'park' };
  const ceilingMs = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 20));
  return { action: 'again', waitMs: Math.round(ceilingMs / 2 + (random * ceilingMs) / 2) };
}
