import { UsageError } from '../errors/failure.ts';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a deadline: a point in time with its zone, as it is sent, or a span
 * from now on (`90m`, `12h`, `3d`).
 */
export function readDeadline(text: string): (now: Date) => string {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const span = Number(count) * (unitMs[unit] ?? 0);
  if (span > 0) return (now) => new Date(now.getTime() + span).toISOString();
  if (/^\d{4}-\d\d-\d\d[Tt ].*(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)) return () => text;
  throw new UsageError(
    `--deadline "${text}" is neither a time with a zone nor a span.`,
    'For example: --deadline 2027-01-31T12:00:00Z, or --deadline 3d',
  );
}
