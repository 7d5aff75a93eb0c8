import { hostProcess, isServerRuntime } from './host.ts';

// The parts of the OpenTelemetry API that this package uses. They are read from the global registry of that API, so
// the package needs no dependency and does no extra work in applications without OpenTelemetry.

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}

interface Context {
  setValue(key: symbol, value: unknown): Context;
}

interface Registered {
  readonly trace?: {
    getTracer(name: string): { startSpan(name: string, options: object, parent?: Context): Span };
  };
  readonly context?: { active(): Context; with<T>(context: Context, work: () => T): T };
}

const api = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

const clientKind = 2;
const errorStatus = 2;

/** If an application subscribes to this channel, it instruments `fetch` and adds `traceparent` itself. */
const undiciRequests = hostProcess?.getBuiltinModule?.('node:diagnostics_channel')?.channel('undici:request:create');

/** The attributes of an attempt's span, without texts, ids or tokens. */
interface TracedAttempt {
  readonly operationId: string;
  readonly method: string;
  /** The path template. */
  readonly path: string;
  readonly host: string;
  readonly attempt: number;
}

export interface AttemptSpan {
  /** The header that continues the trace on the server; undefined if the application adds it. */
  readonly traceparent: string | undefined;
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the span; `status` is undefined if there was no response. */
  end(status: number | undefined): void;
}

/** Starts the span of an attempt, if the application has registered OpenTelemetry. */
export function startAttemptSpan({ operationId, method, path, host, attempt }: TracedAttempt): AttemptSpan | undefined {
  const registered = (globalThis as { readonly [api]?: Registered })[api];
  if (registered?.trace === undefined) return undefined;
  const { trace, context } = registered;
  try {
    const attributes = {
      'http.request.method': method,
      'url.template': path,
      'server.address': host,
      ...(attempt === 1 ? {} : { 'http.request.resend_count': attempt - 1 }),
    };
    const options = { kind: clientKind, attributes };
    const active = context?.active();
    const span = trace.getTracer('@agent-platform/sdk').startSpan(operationId, options, active);
    const within = active?.setValue(spanKey, span);
    return {
      // Omitted in browsers, which would first send a CORS request to ask whether the header is allowed.
      traceparent:
        !isServerRuntime || undiciRequests?.hasSubscribers ? undefined : formatTraceparent(span.spanContext()),
      run: (work) => (context === undefined || within === undefined ? work() : context.with(within, work)),
      end: (status) => {
        try {
          if (status !== undefined) span.setAttribute('http.response.status_code', status);
          if (status === undefined || status >= 400) span.setStatus({ code: errorStatus });
          span.end();
        } catch {
          // An error of the application's span processor must not make the call fail either.
        }
      },
    };
  } catch {
    // An error of the tracer must not make the call fail.
    return undefined;
  }
}

// Omits `tracestate` and `baggage`, because they contain internal data of the application.
function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string | undefined {
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
