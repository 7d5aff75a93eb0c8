import { finalCloseCodes } from '@agent-platform/contract/client';
import type { StreamEnding } from '../transport/call-options.ts';
import { computeBackoffMs } from '../transport/retry.ts';

type ReconnectDecision =
  | { readonly action: 'reconnect'; readonly waitMs: number }
  /** The server refused the token: reconnect if there is a newer one, otherwise stop. */
  | { readonly action: 'renew-token'; readonly waitMs: number }
  | { readonly action: 'stop'; readonly closeCode: number }
  /** The address is not an event stream. */
  | { readonly action: 'give-up' };

const firstMs = 500;
const maxMs = 60_000;
// Delays are longer after a rate limit or an overload, because all clients then reconnect at the same time.
const patientFirstMs = 5_000;
const patientMaxMs = 300_000;

/**
 * Decides whether and when to reconnect (§7.30): after growing delays with 50 % jitter, or not at all if the cause has
 * to be fixed first.
 *
 * @param failures the number of consecutive earlier connections without an event
 * @param random a number from 0 to below 1, for the jitter
 */
export function decideReconnect(ending: StreamEnding, failures: number, random: number): ReconnectDecision {
  const code = codeOf(ending);
  const waitMs = computeBackoffMs(firstMs, maxMs, failures, random);
  if (code === 4401) return { action: 'renew-token', waitMs: failures === 0 ? 0 : waitMs };
  if (finalCloseCodes.has(code)) return { action: 'stop', closeCode: code };
  if (code === 4429 || code === 1013) {
    const patientMs = computeBackoffMs(patientFirstMs, patientMaxMs, failures, random);
    const askedMs = ending.kind === 'refused' ? (ending.retryAfterSeconds ?? 0) * 1_000 : 0;
    return { action: 'reconnect', waitMs: Math.max(patientMs, Math.min(askedMs, patientMaxMs)) };
  }
  if (ending.kind === 'refused' && ending.status < 500) return { action: 'give-up' };
  return { action: 'reconnect', waitMs };
}

// Converts the HTTP status of a refused upgrade to the corresponding close code.
function codeOf(ending: StreamEnding): number {
  if (ending.kind === 'closed') return ending.code;
  if (ending.kind === 'lost') return 1006;
  const { status } = ending;
  if (status === 401) return 4401;
  if (status === 403) return 4403;
  if (status === 429) return 4429;
  return status === 503 ? 1013 : 1006;
}
