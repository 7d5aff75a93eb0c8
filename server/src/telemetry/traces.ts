import type { IncomingHttpHeaders } from 'node:http';
import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
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
import type { RequestTracer } from '../platform/instruments.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { serverVersion } from '../platform/versions.ts';

/** Every valid header has this length; version 00 is the only one so far. */
const traceParentLength = 55;

const kinds = { client: SpanKind.CLIENT, producer: SpanKind.PRODUCER };

/** Exports traces to a collector, unless this process has already registered a provider. */
export function startTracing(url: string, settings: Settings, resource: Resource) {
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
    tracing: makeTracing(),
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

function makeTracing(): RequestTracer {
  const tracer = trace.getTracer('@agent-platform/server', serverVersion);
  return {
    beginRequest: (method, headers) => {
      const parent = readParent(headers);
      const attributes = { 'http.request.method': method };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      const within = trace.setSpan(parent, span);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => context.with(within, work),
        end: ({ route, status, code }) => {
          if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
          span.setAttribute('http.response.status_code', status);
          if (code !== undefined) span.setAttribute('error.type', code);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    run: (name, work) => tracer.startActiveSpan(name, (span) => endAfter(span, work)),
    note: (name, kind, tookMs, attributes, failed) => {
      const endMs = Date.now();
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: endMs - tookMs });
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endMs);
    },
    isActive: () => trace.getActiveSpan()?.isRecording() === true,
  };
}

async function endAfter<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The status has no message, because an error's message may quote an agent's input.
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

// Everything except a valid header is ignored, including `tracestate` and `baggage`, which contain untrusted texts.
function readParent({ traceparent }: IncomingHttpHeaders): Context {
  if (typeof traceparent !== 'string' || traceparent.length !== traceParentLength) return ROOT_CONTEXT;
  const parent = parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}
