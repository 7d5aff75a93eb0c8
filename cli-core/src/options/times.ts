import { UsageError } from '../errors/failure.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a duration with a unit into milliseconds: `60s`, `5m`, `1h`, `500ms`.
 *
 * @throws UsageError
 */
export function parseDurationOption(option: string, text: string, minMs: number, maxMs: number): number {
  const durationMs = parseDuration(text, /^(\d{1,9})(ms|s|m|h)$/);
  if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs;
  throw new UsageError(
    `--${option} "${text}" is not a duration from ${minMs / 1_000}s to ${maxMs / 3_600_000}h.`,
    `For example: --${option} 60s`,
  );
}

/**
 * Parses a deadline: a time with a time zone, which is sent unchanged, or a duration from now (`90m`, `12h`, `3d`).
 *
 * @throws UsageError
 */
export function parseDeadlineOption(text: string): (now: Date) => string {
  const durationMs = parseDuration(text, /^(\d{1,5})([mhd])$/) ?? 0;
  if (durationMs > 0) return (now) => new Date(now.getTime() + durationMs).toISOString();
  if (/^\d{4}-\d\d-\d\d[Tt ].*(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)) return () => text;
  throw new UsageError(
    `--deadline "${text}" is neither a time with a zone nor a duration.`,
    'For example: --deadline 2027-01-31T12:00:00Z, or --deadline 3d',
  );
}

function parseDuration(text: string, form: RegExp): number | undefined {
  const [, count, unit = ''] = form.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}
