import { DiagLogLevel, diag } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  type MetricData,
  MetricReader,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { Telemetry } from '../platform/instruments.ts';
import type { Logger } from '../platform/logger.ts';
import { loadOptionalModule } from '../platform/optional-packages.ts';
import { isLoopback } from '../platform/settings/setting.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { serverVersion } from '../platform/versions.ts';
import { serveMetrics } from './metrics-server.ts';
import { type MetricSources, observeMetrics } from './observed-metrics.ts';
import { makeMetricInstruments, watchEventLoop } from './recorded-metrics.ts';

export interface RunningTelemetry extends Telemetry {
  /** Starts to serve and to export metrics. Returns the address for Prometheus, if there is one. */
  begin(sources: MetricSources): Promise<string | undefined>;
  /** Exports the remaining data, within a time limit. */
  close(): Promise<void>;
}

const closeWithinMs = 1_000;

const exporters = {
  scope: '@opentelemetry',
  purpose: 'Sending metrics and traces to a collector',
  otherwise: 'unset OTEL_EXPORTER_OTLP_ENDPOINT and its variants for metrics and traces',
} as const;

/** The module is loaded on demand, because the libraries take 0.1 s to load. */
export async function openExporters(settings: Settings, log: Logger): Promise<RunningTelemetry> {
  const { metricsPort, metricsHost, exporterOtlpEndpoint: endpoint } = settings;
  const metricsUrl = settings.exporterOtlpMetricsEndpoint ?? addPath(endpoint, 'v1/metrics');
  const tracesUrl = settings.exporterOtlpTracesEndpoint ?? addPath(endpoint, 'v1/traces');
  reportTo(log);
  const resource = describeProcess();
  const exporter = metricsUrl === undefined ? undefined : await makeExporter(metricsUrl);
  const traces =
    tracesUrl === undefined
      ? undefined
      : (await loadOptionalModule(exporters, () => import('./traces.ts'))).startTracing(tracesUrl, settings, resource);
  const reader = new SharedReader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('@agent-platform/server', serverVersion);
  const hasMetrics = metricsPort !== undefined || metricsUrl !== undefined;
  const closing: (() => unknown)[] = [];
  return {
    meters: hasMetrics ? makeMetricInstruments(meter) : undefined,
    tracing: traces?.tracing,
    begin: async (sources) => {
      if (!hasMetrics) return undefined;
      observeMetrics(meter, sources);
      closing.push(watchEventLoop(meter));
      if (exporter !== undefined) closing.push(exportMetrics(reader, exporter, settings, resource));
      if (metricsPort === undefined) return undefined;
      if (!isLoopback(metricsHost))
        log.warn(
          { host: metricsHost },
          'the metrics are served to other machines: use a firewall that allows only Prometheus',
        );
      const server = await serveMetrics(makeRender(reader), metricsHost, metricsPort);
      closing.push(server.close);
      return server.url;
    },
    close: async () => {
      // A collector that does not respond must not delay the shutdown.
      const limit = new Promise((resolve) => setTimeout(resolve, closeWithinMs).unref());
      const ends = [...closing.map(async (close) => await close()), traces?.close()];
      await Promise.race([Promise.allSettled(ends), limit]);
    },
  };
}

function addPath(endpoint: string | undefined, path: string): string | undefined {
  return endpoint === undefined ? undefined : `${endpoint.replace(/(?<!\/)\/+$/, '')}/${path}`;
}

function describeProcess(): Resource {
  const own = resourceFromAttributes({ 'service.name': 'agent-platform-server', 'service.version': serverVersion });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last, so they take precedence.
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

// Logs one export failure a minute, because the libraries report each one while a collector is unavailable.
function reportTo(log: Logger): void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    if (performance.now() - reportedAtMs < 60_000) return;
    reportedAtMs = performance.now();
    log.warn({ reason: reasonOf(message) }, 'metrics or traces could not be exported');
  };
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

// Extracts the message from an error's text, which is JSON and also contains its stack and the collector's response.
function reasonOf(text: string): string {
  const [, message = text] = /"message":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return message.slice(0, 500);
}

class SharedReader extends MetricReader {
  #running: ReturnType<MetricReader['collect']> | undefined;

  constructor() {
    // With cumulative sums, the SDK would repeat the last value of a gauge that no longer has one.
    const { CUMULATIVE, DELTA } = AggregationTemporality;
    super({
      aggregationTemporalitySelector: (type) => (type === InstrumentType.OBSERVABLE_GAUGE ? DELTA : CUMULATIVE),
    });
  }

  /** Shares one collection among concurrent callers, because the SDK returns the gauges to only one of them. */
  override collect() {
    this.#running ??= super.collect().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  protected override async onShutdown(): Promise<void> {}

  protected override async onForceFlush(): Promise<void> {}
}

/** Prometheus names end with the unit, which the serializer does not add. */
const longUnits: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

// Omits the resource, because Prometheus identifies a process by its address.
function makeRender(reader: MetricReader): () => Promise<string> {
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return async () => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw new AggregateError(errors);
    const { resource, scopeMetrics } = resourceMetrics;
    const named = scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(withUnit) }));
    return serializer.serialize({ resource, scopeMetrics: named });
  };
}

function withUnit<Metric extends MetricData>(metric: Metric): Metric {
  const { descriptor } = metric;
  const unit = longUnits[descriptor.unit];
  if (unit === undefined) return metric;
  return { ...metric, descriptor: { ...descriptor, name: `${descriptor.name}.${unit}`, unit } };
}

async function makeExporter(url: string): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } = await loadOptionalModule(
    exporters,
    () => import('@opentelemetry/exporter-metrics-otlp-proto'),
  );
  return new OTLPMetricExporter({ url });
}

function exportMetrics(
  own: MetricReader,
  exporter: PushMetricExporter,
  settings: Settings,
  resource: Resource,
): () => Promise<void> {
  const exportIntervalMillis = settings.metricExportInterval;
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 10_000),
    metricProducers: [own],
  });
  const provider = new MeterProvider({ readers: [reader], resource });
  return () => provider.shutdown();
}
