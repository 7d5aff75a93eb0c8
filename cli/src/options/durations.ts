import { UsageError } from '../errors/failure.ts';

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/**
 * Reads a duration with its unit, in milliseconds: `60s`, `5m`, `1h`, `500ms`.
 *
 * @throws UsageError
 */
export function readDuration(option: string, text: string, minMs: number, maxMs: number): number {
  const [, number = '', unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (units.get(unit) ?? Number.NaN);
  if (number !== '' && milliseconds >= minMs && milliseconds <= maxMs) return milliseconds;
  throw new UsageError(
    `--${option} "${text}" is not a duration from ${minMs / 1_000}s to ${maxMs / 3_600_000}h.`,
    `For example: --${option} 60s`,
  );
}
