import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '../../platform/settings/settings.ts';

/** Exports traces to a collector, unless this process has registered a provider of its own. */
export function startTraces(url: string, settings: Settings, resource: Resource): { close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url });
  const provider = new TracerProvider({
    resource,
    sampler: chooseSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
    spanLimits: { attributeValueLengthLimit: 256 },
  });
  const isOurs = trace.setGlobalTracerProvider(provider);
  if (isOurs) context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    close: async () => {
      if (isOurs) {
        trace.disable();
        context.disable();
      }
      await provider.shutdown();
    },
  };
}

function chooseSampler({ tracesSampler, tracesSamplerArg }: Settings): Sampler {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(tracesSamplerArg),
  };
  const root = (roots[tracesSampler.replace('parentbased_', '')] ?? (() => new AlwaysOnSampler()))();
  return tracesSampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
