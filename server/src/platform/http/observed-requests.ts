import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteMeter } from '../telemetry/meters.ts';
import type { RequestSpan, Telemetry } from '../telemetry/telemetry.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace of this request, for its line in the log. */
    traceId: string | undefined;
  }
}

const other = '_OTHER';

/** Those of routes, and the one that browsers ask with; each other one would make its own series for every route. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures and traces every request but those that become event connections. */
export function observeRequests(
  app: FastifyInstance,
  { meters, tracing }: Telemetry,
  isSocket: (request: IncomingMessage) => boolean,
): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  const known = new WeakMap<object, RouteMeter>();
  if (tracing !== undefined) {
    app.addHook('onRequest', (request, _reply, done) => {
      if (isSocket(request.raw)) {
        done();
        return;
      }
      const span = tracing.beginRequest(methodOf(request), request.raw.headers);
      spans.set(request, span);
      request.traceId = span.traceId;
      span.run(done);
    });
    // A body arrives in events of its connection, which belong to no span.
    app.addHook('preHandler', (request, _reply, done) => {
      const span = spans.get(request);
      if (span === undefined) done();
      else span.run(done);
    });
  }
  app.addHook('onResponse', (request, reply, done) => {
    if (meters !== undefined) {
      const { config } = request.routeOptions;
      let meter = known.get(config);
      if (meter === undefined) {
        meter = meters.route(templateOf(request));
        known.set(config, meter);
      }
      // A route has few methods, and a stranger may send it every other one.
      const method = reply.statusCode === 405 ? other : methodOf(request);
      meter.record(method, reply.statusCode, reply.elapsedTime / 1_000);
      if (request.refusal !== undefined) meters.refusals.add(request.refusal);
    }
    const { refusal: code } = request;
    spans.get(request)?.end({ route: templateOf(request), status: reply.statusCode, code });
    done();
  });
}

// Anybody can send any word as a method.
function methodOf({ method }: FastifyRequest): string {
  return methods.has(method) ? method : other;
}

/** The path of the route, as the contract writes it; a path without a route has no template. */
function templateOf(request: FastifyRequest): string | undefined {
  const { url, config } = request.routeOptions;
  return config.operation?.path ?? url?.replaceAll(/:(\w+)(\([^()]*\))?/g, '{$1}');
}
