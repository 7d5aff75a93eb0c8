import type { IncomingHttpHeaders } from 'node:http';
import type { Meters } from './meters.ts';

/** Attributes of a span: names of routes, statements and codes, never texts, handles, tokens or addresses. */
type Attributes = Readonly<Record<string, string | number>>;

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs work whose spans become children of this one. */
  run(work: () => void): void;
  end(facts: { readonly route: string | undefined; readonly status: number; readonly code: string | undefined }): void;
}

/** Makes spans; present only while traces are exported. */
export interface Tracing {
  /** Begins the span of a request, in the trace that a valid `traceparent` names. */
  beginRequest(method: string, headers: IncomingHttpHeaders): RequestSpan;
  /** Runs work in a span of its own. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Notes what is over, as a span that ends now. */
  note(name: string, kind: 'client' | 'producer', tookMs: number, attributes: Attributes, failed: boolean): void;
  /** Whether the work in progress belongs to a span. */
  isActive(): boolean;
}

/** Hears what a process does, for its metrics and traces. Neither exists unless an operator asks for it. */
export interface Telemetry {
  readonly meters: Meters | undefined;
  readonly tracing: Tracing | undefined;
}
