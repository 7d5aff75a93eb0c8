import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Endpoint, eventsPath, limits, operations } from '@agent-platform/contract';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify, LogController } from 'fastify';
import { newId } from '../crypto.ts';
import { describeError, logLevelOf } from '../error-facts.ts';
import { internalErrorReply, pathNotFoundRefusal, toRefusal } from '../failure.ts';
import type { Telemetry } from '../instruments.ts';
import type { Logger } from '../logger.ts';
import type { Settings } from '../settings/settings.ts';
import { clientAddressOf, parseForwardedFor } from './address.ts';
import { respondToClientError, smallChunksCode } from './client-error.ts';
import { ChunkCountingRequest } from './counted-request.ts';
import { allowOrigins, makeCorsHeaders } from './cross-origin.ts';
import { defaultResponseHeaders, METHODS } from './headers.ts';
import { observeRequests } from './observed-requests.ts';
import { serializePipelinedRequests } from './pipelined-requests.ts';
import { type RefusalLog, truncateForLog } from './refusal-log.ts';
import { rejectAmbiguousHeaders } from './request-head.ts';

/** Whether an error means that a dependency is unavailable; all other errors are internal errors. */
type IsUnavailable = (error: unknown) => boolean;

/** The interval between checks for slow connections. */
const connectionsCheckMs = 1_000;

/**
 * Makes the HTTP server without routes: one error format for every layer, a `request-id` on every response, raw request
 * bodies, and one log line per request.
 */
export function makeHttpServer(
  settings: Settings,
  log: Logger,
  refusals: RefusalLog,
  isUnavailable: IsUnavailable,
  telemetry?: Telemetry,
): FastifyInstance {
  const requestMs = settings.requestSeconds * 1_000;
  const uploadMs = settings.uploadSeconds * 1_000;
  const longestMs = requestMs === 0 || uploadMs === 0 ? 0 : Math.max(requestMs, uploadMs);
  const loggerInstance: FastifyBaseLogger = log;
  const openResponses = new WeakMap<Socket, ServerResponse>();
  const app: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // All requests share one logger, because a logger per request costs more than the single line that it would write.
    childLoggerFactory: (logger) => logger,
    // Uses random bytes that Node.js generates in advance; a UUID version 7 would add 3 % to a short request.
    genReqId: () => randomUUID(),
    trustProxy: settings.trustProxy.length === 0 ? false : [...settings.trustProxy],
    bodyLimit: limits.jsonBodyMaxBytes,
    routerOptions: { maxParamLength: limits.headersMaxBytes },
    rewriteUrl: (request) => nameUndecodable(request.url ?? '/'),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The longer of two time limits, usually that of uploads; our own timer ends other requests earlier.
    requestTimeout: longestMs,
    connectionTimeout: stalledAfter(longestMs),
    http: {
      maxHeaderSize: limits.headersMaxBytes,
      headersTimeout: requestMs,
      // This is off, because a hook refuses a missing Host header in our error format.
      requireHostHeader: false,
      connectionsCheckingInterval: connectionsCheckMs,
      IncomingMessage: ChunkCountingRequest,
      // Every upgrade request except that of an event stream is handled as an ordinary request.
      shouldUpgradeCallback: isSocket,
    },
    clientErrorHandler: (error, socket) => {
      const requestId = newId();
      const open = openResponses.get(socket);
      const origin = makeCorsHeaders(settings.corsOrigins, open?.req.headers.origin);
      const refusal = respondToClientError(error, socket, { 'request-id': requestId, ...origin }, open);
      if (refusal === undefined) return;
      telemetry?.meters?.refusals.add(1, { code: refusal.code });
      refusals.write({ request_id: requestId, status: refusal.status, code: refusal.code }, 'refused');
    },
    frameworkErrors: (error, request, reply) => {
      const refusal = toRefusal(error, isUnavailable) ?? pathNotFoundRefusal();
      // The framework types `reply` as the reply of a specific route.
      const answer: FastifyReply = reply as unknown as FastifyReply;
      const origin = makeCorsHeaders(settings.corsOrigins, request.headers.origin);
      const headers = { 'request-id': request.id, connection: 'close', ...defaultResponseHeaders, ...origin };
      answer.headers(headers).code(refusal.status).send(refusal.toReply());
    },
  });
  app.server.on('request', (request, response) => {
    openResponses.set(request.socket, response);
    endWhenLate(app, request, response, isUpload(request) ? uploadMs : requestMs);
    endWithSmallChunks(app, request, response);
  });
  app.server.on('timeout', (socket) => endUnlessWorking(socket, openResponses.get(socket)));
  // A request with an unknown `Expect` header is handled as usual.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) addMethod(app, method);
  // Bodies stay raw bytes, because they are only parsed after the limits have been checked (§8.11).
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler(() => {
    throw pathNotFoundRefusal();
  });
  if (settings.trustProxy.length > 0) cleanForwarded(app);
  serializePipelinedRequests(app, isSocket);
  allowOrigins(app, settings.corsOrigins);
  rejectAmbiguousHeaders(app, isSocket);
  if (telemetry !== undefined) observeRequests(app, telemetry, isSocket);
  answerErrors(app, isUnavailable);
  logRequests(app, refusals);
  return app;
}

const uploads = operations.filter((operation: Endpoint) => operation.form !== undefined);

function isUpload({ method, url }: IncomingMessage): boolean {
  const path = url?.split('?', 1)[0];
  return uploads.some((operation) => operation.method === method && operation.path === path);
}

function isSocket({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === eventsPath && headers.upgrade?.toLowerCase() === 'websocket';
}

// Removes the entries of X-Forwarded-For that cannot be trusted, before Fastify reads the header. A client whose entry
// is not an address is counted under its proxy's address.
function cleanForwarded(app: FastifyInstance): void {
  let isWarned = false;
  app.addHook('onRequest', (request, _, done) => {
    const header = request.raw.headers['x-forwarded-for'];
    if (typeof header === 'string' && header !== '') {
      const { entries, isFaulty } = parseForwardedFor(header);
      request.raw.headers['x-forwarded-for'] = entries.join(', ');
      if (isFaulty && !isWarned)
        request.log.warn(
          { header: truncateForLog(header) },
          'X-Forwarded-For has an entry that is not an address; logged once',
        );
      isWarned ||= isFaulty;
    }
    done();
  });
}

// Replaces an undecodable path with one that does not exist, so that the request is still rate-limited and logged.
function nameUndecodable(url: string): string {
  if (!url.includes('%')) return url;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return url;
  } catch {
    return '/undecodable';
  }
}

// Ends a request with a late body in the same way as Node.js ends one with late headers.
function endWhenLate(app: FastifyInstance, request: IncomingMessage, response: ServerResponse, ms: number): void {
  const { headers, socket } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (ms === 0 || !hasBody) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    const late = Object.assign(new Error('The body was not received in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    app.server.emit('clientError', late, socket);
  }, ms).unref();
  const clear = () => clearTimeout(timer);
  request.once('end', clear);
  response.once('close', clear);
}

// Leaves time for the 408 response to a slow request, because it is only sent at the next check.
function stalledAfter(longestMs: number): number {
  return longestMs === 0 ? 0 : Math.max(longestMs * 1.25, longestMs + 2 * connectionsCheckMs);
}

// Ends a connection that transfers no data because it is idle or its client does not read. A connection whose request
// is still being processed stays open.
function endUnlessWorking(socket: Socket, response: ServerResponse | undefined): void {
  const isWorking = response !== undefined && !response.headersSent;
  if (!isWorking || socket.writableLength > 0) socket.destroy();
}

// Skips bodies with a Content-Length, because they arrive in packets that cost their sender more than the server.
function endWithSmallChunks(app: FastifyInstance, request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket } = request;
  if (!(request instanceof ChunkCountingRequest) || headers['transfer-encoding'] === undefined) return;
  request.limitChunks(response, () => {
    if (response.headersSent) {
      socket.destroy();
      return;
    }
    const tooMany = Object.assign(new Error('The chunks of the body are too small.'), { code: smallChunksCode });
    app.server.emit('clientError', tooMany, socket);
  });
}

// CONNECT never reaches a router. The bodies of the added methods are not parsed.
function addMethod(app: FastifyInstance, method: string): void {
  if (method !== 'CONNECT') app.addHttpMethod(method, { hasBody: false });
}

function answerErrors(app: FastifyInstance, isUnavailable: IsUnavailable): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'request-id': request.id, ...defaultResponseHeaders });
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error, isUnavailable);
    if (refusal === undefined) {
      request.log.error({ request_id: request.id, err: error }, 'internal error');
      return reply.code(internalErrorReply.status).send(app.errorPage?.(request, reply) ?? internalErrorReply.body);
    }
    if (refusal.code === 'unavailable') {
      request.log[logLevelOf(refusal.cause)](
        { request_id: request.id, cause: describeError(refusal.cause) },
        'unavailable',
      );
    }
    request.refusal = refusal.code;
    reply.code(refusal.status).headers(refusal.headers);
    return reply.send(app.errorPage?.(request, reply) ?? refusal.toReply());
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Renders an error as a page if a browser asks for one; absent without public pages. */
    errorPage?: (request: FastifyRequest, reply: FastifyReply) => string | undefined;
  }
  interface FastifyRequest {
    /** The error code of this request's refusal, for the log line. */
    refusal: string | undefined;
    /** The agent that the token identifies, for the log line. */
    agentId: string | undefined;
  }
}

function logRequests(app: FastifyInstance, refusals: RefusalLog): void {
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('agentId', undefined);
  app.decorateRequest('traceId', undefined);
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      request_id: request.id,
      method: request.method,
      // The query is left out, because people put secrets into it by mistake.
      path: truncateForLog(request.url.split('?', 1)[0] ?? ''),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      // The address is truncated, because behind a proxy it is the text of a header; `gone` after a disconnection.
      address: truncateForLog(clientAddressOf(request)),
      agent: request.agentId,
      code: request.refusal,
      trace_id: request.traceId,
    };
    const { refusal: code, agentId } = request;
    if (request.url.startsWith('/health/'))
      request.log.debug(line, code === undefined ? 'request completed' : 'refused');
    else if (code === undefined) request.log.info(line, 'request completed');
    else if (agentId === undefined) refusals.write({ ...line, code }, 'refused');
    else request.log.info(line, 'refused');
    done();
  });
}
