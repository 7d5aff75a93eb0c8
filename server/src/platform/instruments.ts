import type { IncomingHttpHeaders } from 'node:http';

/** Attributes of a span: routes, statement names and codes, but never texts, handles, tokens or addresses. */
type Attributes = Readonly<Record<string, string | number>>;

export interface RequestSpan {
  readonly traceId: string;
  /** Runs work whose spans become children of this span. */
  run(work: () => void): void;
  end(facts: { readonly route: string | undefined; readonly status: number; readonly code: string | undefined }): void;
}

/** Creates spans; present only while traces are exported. */
export interface RequestTracer {
  /** Starts the span of a request, in the trace named by a valid `traceparent`. */
  beginRequest(method: string, headers: IncomingHttpHeaders): RequestSpan;
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Records completed work as a span that ends now. */
  note(name: string, kind: 'client' | 'producer', tookMs: number, attributes: Attributes, failed: boolean): void;
  isActive(): boolean;
}

/** Metric labels. A label has few values, because each combination of values becomes a series. */
type Labels = Readonly<Record<string, string>>;

interface Histogram {
  record(seconds: number, labels?: Labels): void;
}

interface Counter {
  add(count: number, labels?: Labels): void;
}

export interface MetricInstruments {
  /** Request durations, by route, method and status. */
  readonly requests: Histogram;
  /** Refused requests, by error code. */
  readonly refusals: Counter;
  /** Connections closed because of the limit on open files. */
  readonly droppedConnections: Counter;
  readonly statements: Histogram;
  readonly failedStatements: Counter;
  /** Waiting times for a pool connection. */
  readonly connectionWaits: Histogram;
  /** The time until an event is sent, since the event or since its receiver could accept it, whichever is later. */
  readonly deliveries: Histogram;
  /** Event connections that ended, by close code. */
  readonly closedConnections: Counter;
}

/** Receives metrics and traces of a process. Each member is undefined unless the operator has enabled it. */
export interface Telemetry {
  readonly meters: MetricInstruments | undefined;
  readonly tracing: RequestTracer | undefined;
}
