import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan, Telemetry } from '../instruments.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace id of this request, for the log line. */
    traceId: string | undefined;
  }
}

const other = '_OTHER';

/** The methods that are recorded by name; every other one would add a metric series for each route. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures and traces every request except those that become event connections. */
export function observeRequests(
  app: FastifyInstance,
  { meters, tracing }: Telemetry,
  isSocket: (request: IncomingMessage) => boolean,
): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
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
    // The socket events that deliver the body run outside the span, so the span is entered again.
    app.addHook('preHandler', (request, _reply, done) => {
      const span = spans.get(request);
      if (span === undefined) done();
      else span.run(done);
    });
  }
  app.addHook('onResponse', (request, reply, done) => {
    const { refusal: code } = request;
    const { statusCode: status } = reply;
    const route = templateOf(request);
    meters?.requests.record(reply.elapsedTime / 1_000, {
      // A refused method is recorded as `_OTHER`, because clients may request a route with any method.
      'http.request.method': status === 405 ? other : methodOf(request),
      ...(route === undefined ? {} : { 'http.route': route }),
      'http.response.status_code': String(status),
    });
    if (code !== undefined) meters?.refusals.add(1, { code });
    spans.get(request)?.end({ route, status, code });
    done();
  });
}

function methodOf({ method }: FastifyRequest): string {
  return methods.has(method) ? method : other;
}

/** Returns the path template of the contract; undefined for a path without a route. */
function templateOf(request: FastifyRequest): string | undefined {
  const { url, config } = request.routeOptions;
  return config.operation?.path ?? url?.replaceAll(/:(\w+)(\([^()]*\))?/g, '{$1}');
}
