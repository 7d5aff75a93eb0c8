import { finalCloseCodes } from '@agent-platform/contract';
import { backoffMs } from '../transport/backoff.ts';

/** How a connection ended, as far as the next one depends on it. */
export type StreamEnding =
  /** With a close code of the server. */
  | { readonly kind: 'closed'; readonly code: number }
  /** It broke, fell silent, never came about, or brought what makes no sense. */
  | { readonly kind: 'lost' }
  /** HTTP answered instead of opening it. */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterSeconds: number | null };

/** What to do after the end of a connection. */
export type ReconnectDecision =
  | { readonly action: 'reconnect'; readonly waitMs: number }
  /** The token is no good: go on with a newer one, or stop as the code says. */
  | { readonly action: 'renew-token'; readonly waitMs: number }
  | { readonly action: 'stop'; readonly closeCode: number }
  /** This address is no event stream. */
  | { readonly action: 'give-up' };

const firstMs = 500;
const maxMs = 60_000;
// After a limit or an overload, everybody else comes back as well.
const patientFirstMs = 5_000;
const patientMaxMs = 300_000;

/**
 * The whole rule of reconnecting (specification, "Events"): growing delays, half
 * of each random; never again where only mending helps.
 *
 * @param failures connections in a row, before this one, that brought nothing
 * @param random a number from 0 up to 1, for the jitter
 */
export function decideReconnect(ending: StreamEnding, failures: number, random: number): ReconnectDecision {
  const code = codeOf(ending);
  const waitMs = backoffMs(firstMs, maxMs, failures, random);
  if (code === 4401) return { action: 'renew-token', waitMs: failures === 0 ? 0 : waitMs };
  if (finalCloseCodes.has(code)) return { action: 'stop', closeCode: code };
  if (code === 4429 || code === 1013) {
    const patientMs = backoffMs(patientFirstMs, patientMaxMs, failures, random);
    const askedMs = ending.kind === 'refused' ? (ending.retryAfterSeconds ?? 0) * 1_000 : 0;
    return { action: 'reconnect', waitMs: Math.max(patientMs, Math.min(askedMs, patientMaxMs)) };
  }
  if (ending.kind === 'refused' && ending.status < 500) return { action: 'give-up' };
  return { action: 'reconnect', waitMs };
}

// What the upgrade is refused with means what the close code means.
function codeOf(ending: StreamEnding): number {
  if (ending.kind === 'closed') return ending.code;
  if (ending.kind === 'lost') return 1006;
  const { status } = ending;
  if (status === 401) return 4401;
  if (status === 403) return 4403;
  if (status === 429) return 4429;
  return status === 503 ? 1013 : 1006;
}
