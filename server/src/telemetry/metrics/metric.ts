import type { Histogram } from '../../platform/telemetry/histogram.ts';
import type { Labels } from '../../platform/telemetry/meters.ts';

/** The units of the metrics; one is empty. */
export type Unit = 's' | 'By' | '';

interface Described {
  /** With dots, as OpenTelemetry writes it; without the unit. */
  readonly name: string;
  readonly help: string;
  readonly unit: Unit;
}

/** A metric at the moment of a scrape. */
export type Metric = Described &
  (
    | { readonly kind: 'gauge' | 'counter'; readonly points: readonly (readonly [Labels, number])[] }
    | { readonly kind: 'histogram'; readonly points: readonly (readonly [Labels, Histogram])[] }
  );

const none: Labels = {};

/** A value that rises and falls; absent while it is not known. */
export function gauge(name: string, unit: Unit, help: string, value: number | undefined, labels = none): Metric {
  return { kind: 'gauge', name, unit, help, points: value === undefined ? [] : [[labels, value]] };
}

/** A count that only rises, for each code or other label. */
export function counter(
  name: string,
  unit: Unit,
  help: string,
  points: readonly (readonly [Labels, number])[],
): Metric {
  return { kind: 'counter', name, unit, help, points };
}

/** A distribution. */
export function histogram(
  name: string,
  help: string,
  points: Histogram | Iterable<readonly [Labels, Histogram]>,
): Metric {
  return { kind: 'histogram', name, unit: 's', help, points: 'record' in points ? [[none, points]] : [...points] };
}
