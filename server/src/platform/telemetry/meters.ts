import { Histogram } from './histogram.ts';

/** The labels of a metric. */
export type Labels = Readonly<Record<string, string>>;

/** Bounds in seconds. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const statementBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const waitBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 4];
const deliveryBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The requests of one route: a histogram for each method and status. */
export class RouteMeter {
  /** The template of the path; undefined where no route matched. */
  readonly route: string | undefined;
  readonly #byMethod = new Map<string, (Histogram | undefined)[]>();

  constructor(route: string | undefined) {
    this.route = route;
  }

  record(method: string, status: number, seconds: number): void {
    let byStatus = this.#byMethod.get(method);
    if (byStatus === undefined) {
      byStatus = [];
      this.#byMethod.set(method, byStatus);
    }
    let histogram = byStatus[status];
    if (histogram === undefined) {
      histogram = new Histogram(requestBounds);
      byStatus[status] = histogram;
    }
    histogram.record(seconds);
  }

  *series(): Generator<readonly [Labels, Histogram]> {
    for (const [method, byStatus] of this.#byMethod) {
      for (const [status, histogram] of byStatus.entries()) {
        if (histogram === undefined) continue;
        const route = this.route === undefined ? {} : { 'http.route': this.route };
        const labels = { 'http.request.method': method, ...route, 'http.response.status_code': String(status) };
        yield [labels, histogram];
      }
    }
  }
}

/** Counts by a code. */
export class CodeCounter {
  readonly counts = new Map<string, number>();

  add(code: string): void {
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
  }
}

/** What a process counts for its metrics, without attributes: a scrape adds them. Durations are in seconds. */
export class Meters {
  readonly #routes = new Map<string | undefined, RouteMeter>();
  readonly statements = new Histogram(statementBounds);
  /** Statements that failed. */
  failedStatements = 0;
  /** Waits for a connection of the pool. */
  readonly connectionWaits = new Histogram(waitBounds);
  /** From an event, or from when its receiver could take it, to its frame. */
  readonly deliveries = new Histogram(deliveryBounds);
  readonly refusals = new CodeCounter();
  /** Connections that were closed because of the limit of open files. */
  droppedConnections = 0;
  /** Event connections that ended, by close code. */
  readonly closedConnections = new CodeCounter();

  /** The meter of a route, made when it is asked for the first time. */
  route(template: string | undefined): RouteMeter {
    const known = this.#routes.get(template);
    if (known !== undefined) return known;
    const made = new RouteMeter(template);
    this.#routes.set(template, made);
    return made;
  }

  *requests(): Generator<readonly [Labels, Histogram]> {
    for (const route of this.#routes.values()) yield* route.series();
  }
}
