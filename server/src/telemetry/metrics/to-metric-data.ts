import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Histogram } from '../../platform/telemetry/histogram.ts';
import { version } from '../../platform/versions.ts';
import type { Metric, Unit } from './metric.ts';

/** In the names of Prometheus the unit comes last; its exporter adds none. */
const longUnits: Readonly<Record<Unit, string>> = { s: 'seconds', By: 'bytes', '': '' };

type Naming = 'prometheus' | 'otlp';

/** Gives the metrics to OpenTelemetry, summed up as they are. */
export function toProducer(collect: () => Promise<readonly Metric[]>, naming: Naming): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  const scope = { name: '@agent-platform/server', version };
  return {
    collect: async () => {
      const endTime = millisToHrTime(Date.now());
      const metrics = (await collect())
        .filter(({ points }) => points.length > 0)
        .map((metric) => toMetricData(metric, naming, startTime, endTime));
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function toMetricData(metric: Metric, naming: Naming, startTime: HrTime, endTime: HrTime): MetricData {
  const { name, help: description, unit } = metric;
  const longUnit = naming === 'otlp' ? '' : longUnits[unit];
  const named = longUnit === '' ? { name, unit } : { name: `${name}.${longUnit}`, unit: longUnit };
  const descriptor = { ...named, description, valueType: ValueType.DOUBLE };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.kind === 'histogram') {
    const dataPoints = metric.points.map(([attributes, histogram]) => {
      return { startTime, endTime, attributes, value: toValue(histogram) };
    });
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.points.map(([attributes, value]) => ({ startTime, endTime, attributes, value }));
  if (metric.kind === 'gauge') return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

// A copy: what is exported later must not change meanwhile.
function toValue({ bounds, counts, sum, count }: Histogram) {
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}
