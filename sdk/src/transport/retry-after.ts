import { parseHttpDate } from '@agent-platform/contract/client';

/**
 * Converts both forms of `Retry-After`, seconds and HTTP date, to seconds from now; null if it is absent or invalid. A
 * date is compared with the server's own `Date` if present, so that a wrong local clock does not matter.
 */
export function parseRetryAfter(headers: Pick<Headers, 'get'>, nowMs: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const untilMs = parseHttpDate(text, nowMs);
  if (untilMs === undefined) return null;
  const fromMs = parseHttpDate(headers.get('date') ?? '', nowMs) ?? nowMs;
  return Math.max(0, Math.ceil((untilMs - fromMs) / 1_000));
}
