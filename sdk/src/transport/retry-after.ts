/**
 * Reads `Retry-After` in both of its forms, seconds and HTTP date, as seconds
 * from now. A date is compared with the server's own `Date` where there is one,
 * so that a wrong clock on this side does not matter. Null when absent or
 * unreadable.
 */
export function readRetryAfter(headers: Pick<Headers, 'get'>, nowMs: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  // Only texts that begin like a date: Date.parse also accepts "-5" and "1.5".
  if (!/^[A-Za-z]{3}/.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const serverNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(serverNow) ? nowMs : serverNow)) / 1_000));
}
