import type { Meter } from '@opentelemetry/api';
import type { MetricInstruments } from '../platform/instruments.ts';

/** Histogram bounds in seconds. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const statementBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const waitBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 4];
const deliveryBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const delayBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const delayEveryMs = 50;

/** These metrics are recorded when something happens; `observed-metrics.ts` contains those read at each scrape. */
export function makeMetricInstruments(meter: Meter): MetricInstruments {
  const histogram = (name: string, description: string, bounds: number[]) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: bounds } });
  const meters = {
    requests: histogram('http.server.request.duration', 'Requests by route and status', requestBounds),
    refusals: meter.createCounter('agent_platform.refusals', { description: 'Refused requests by error code' }),
    droppedConnections: meter.createCounter('agent_platform.connections.dropped', {
      description: 'Connections dropped because of the limit on open files',
    }),
    statements: histogram('db.client.operation.duration', 'Statements', statementBounds),
    failedStatements: meter.createCounter('agent_platform.statements.failed', {
      description: 'Statements that failed',
    }),
    connectionWaits: histogram('db.client.connection.wait_time', 'Waits for a pool connection', waitBounds),
    deliveries: histogram(
      'agent_platform.event.delivery',
      'Time from an event, or from the moment when its receiver could accept it, to its frame',
      deliveryBounds,
    ),
    closedConnections: meter.createCounter('agent_platform.event.connections.closed', {
      description: 'Ended event connections by close code',
    }),
  };
  // Starts at 0, because Prometheus only counts an increase after the first value that it has read.
  for (const counter of [meters.droppedConnections, meters.failedStatements]) counter.add(0);
  return meters;
}

/** Measures the delay of timers, which is also the time that a request waits to be handled. Returns a stop function. */
export function watchEventLoop(meter: Meter): () => void {
  const delays = meter.createHistogram('nodejs.eventloop.delay', {
    description: 'Delay of timers',
    unit: 's',
    advice: { explicitBucketBoundaries: delayBounds },
  });
  let dueMs = performance.now() + delayEveryMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delays.record(Math.max(0, nowMs - dueMs) / 1_000);
    dueMs = nowMs + delayEveryMs;
  }, delayEveryMs).unref();
  return () => clearInterval(timer);
}
