import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from '../platform/logger.ts';
import { isLoopback } from '../platform/settings/setting.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { Meters } from '../platform/telemetry/meters.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { version } from '../platform/versions.ts';
import { type MetricSources, openMetrics } from './metrics/collect-metrics.ts';
import type { Metric } from './metrics/metric.ts';
import { serveMetrics } from './metrics/metrics-server.ts';
import { toProducer } from './metrics/to-metric-data.ts';
import { startTraces } from './traces/start-traces.ts';
import { makeTracing } from './traces/tracing.ts';

/** The metrics and traces of a process. */
export interface OpenTelemetry extends Telemetry {
  /** Begins to serve and to export metrics. Returns the address for Prometheus, where there is one. */
  begin(sources: MetricSources): Promise<string | undefined>;
  /** Exports what is left, within a limit. */
  close(): Promise<void>;
}

const closeWithinMs = 1_000;

/** Opens what the settings ask for. Loaded only then, because the libraries take a tenth of a second to load. */
export function openTelemetry(settings: Settings, log: Logger): OpenTelemetry {
  const { metricsPort, metricsHost, exporterOtlpEndpoint: endpoint } = settings;
  const metricsUrl = settings.exporterOtlpMetricsEndpoint ?? addPath(endpoint, 'v1/metrics');
  const tracesUrl = settings.exporterOtlpTracesEndpoint ?? addPath(endpoint, 'v1/traces');
  reportTo(log);
  const resource = describeProcess();
  const traces = tracesUrl === undefined ? undefined : startTraces(tracesUrl, settings, resource);
  const meters = metricsPort === undefined && metricsUrl === undefined ? undefined : new Meters();
  const closing: (() => unknown)[] = [];
  return {
    meters,
    tracing: traces === undefined ? undefined : makeTracing(),
    begin: async (sources) => {
      if (meters === undefined) return undefined;
      const { collect, close } = openMetrics(meters, sources);
      closing.push(close);
      if (metricsUrl !== undefined) closing.push(exportMetrics(collect, metricsUrl, settings, resource));
      if (metricsPort === undefined) return undefined;
      if (!isLoopback(metricsHost))
        log.warn(
          { host: metricsHost },
          'the metrics are served to other machines: let a firewall admit Prometheus alone',
        );
      const server = await serveMetrics(makeRender(collect), metricsHost, metricsPort);
      closing.push(server.close);
      return server.url;
    },
    close: async () => {
      // A collector that does not answer delays no stop.
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
  const own = resourceFromAttributes({ 'service.name': 'agent-platform-server', 'service.version': version });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last, and so win.
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

// The libraries report what goes wrong with an export, again and again while a collector is away.
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

// An error comes as JSON, with its stack and what the collector has answered.
function reasonOf(text: string): string {
  const [, message = text] = /"message":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return message.slice(0, 500);
}

type Collect = () => Promise<readonly Metric[]>;

// The text has no resource: Prometheus names a process by its address.
function makeRender(collect: Collect): () => Promise<string> {
  const producer = toProducer(collect, 'prometheus');
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return async () => serializer.serialize((await producer.collect()).resourceMetrics);
}

function exportMetrics(collect: Collect, url: string, settings: Settings, resource: Resource): () => Promise<void> {
  const exportIntervalMillis = settings.metricExportInterval;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url }),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 10_000),
    metricProducers: [toProducer(collect, 'otlp')],
  });
  const provider = new MeterProvider({ readers: [reader], resource });
  return () => provider.shutdown();
}
