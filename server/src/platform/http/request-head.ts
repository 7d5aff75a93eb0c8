import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { parseContentType } from '@agent-platform/contract';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';

/** Headers for which a proxy and this server could use different values if they occur twice. */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding']);

/** The maximum number of headers. Node.js 22 silently drops the rest, one of which could define where the body ends. */
const headersMax = 1_000;

const hostForm = /^(?:\[[0-9a-f:.]+\]|[\w.~%-]+)(?::\d{1,5})?$/i;

declare module 'fastify' {
  interface FastifyRequest {
    headFault: Refusal | undefined;
  }
}

/**
 * Checks the head of every request before anything else. A faulty head ends the connection after the response, because
 * the body may end elsewhere than the client intended, and what follows may be a request of another client. The next
 * request may already be parsed, but it is never handled.
 *
 * A request for an upgrade that the server does not offer ends the connection, too, because the parser drops the bytes
 * that arrive together with it, and would take the rest of a request for the next one.
 */
export function rejectAmbiguousHeaders(app: FastifyInstance, isSocket: (request: IncomingMessage) => boolean): void {
  const ending = new WeakSet<Socket>();
  // One more than the limit, so that exceeding it can be detected.
  app.server.maxHeadersCount = headersMax + 1;
  app.decorateRequest('headFault', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    // As `done` is not called, this request never continues; its connection ends with the response to the faulty one.
    if (ending.has(socket)) return;
    request.headFault = findHeadFault(request.raw);
    const isDeclinedUpgrade = request.raw.headers.upgrade !== undefined && !isSocket(request.raw);
    if (request.headFault !== undefined || isDeclinedUpgrade) {
      ending.add(socket);
      reply.header('connection', 'close');
      // The HTTP server does not end a connection that requested an upgrade.
      reply.raw.once('finish', () => socket.destroySoon());
    }
    done();
  });
}

/** Returns the refusal of a request head that can be interpreted in more than one way (§1.15). */
export function findHeadFault(
  request: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders' | 'headers' | 'url'>,
): Refusal | undefined {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refuse('Speak HTTP/1.1.');
  if (rawHeaders.length > 2 * headersMax)
    return new Refusal('headers_too_large', `The request has more than ${headersMax} headers. Send fewer.`);
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) return refuse(`The header ${repeated} occurs more than once. Send it once.`);
  if (headers.host === undefined ? httpVersion === '1.1' : !hostForm.test(headers.host)) {
    return refuse('An HTTP/1.1 request requires a Host header with a name or an address.');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return refuse('Transfer-Encoding must be chunked.');
  if (coding !== undefined && httpVersion === '1.0')
    return refuse('Transfer-Encoding is not allowed in HTTP/1.0. Use HTTP/1.1.');
  if (request.url?.includes('#') === true)
    return refuse('A request target must not contain a fragment (#). Remove it.');
  if (!hasClearBoundary(headers['content-type'] ?? ''))
    return refuse('The Content-Type of a form must have exactly one boundary=TEXT parameter.');
  return undefined;
}

function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Whether all parsers find the same boundary, or none, in a form's Content-Type; true for other media types. */
function hasClearBoundary(contentType: string): boolean {
  const { mediaType, parameters } = parseContentType(contentType);
  if (mediaType !== 'multipart/form-data') return true;
  return parameters !== undefined && parameters.filter(([name]) => name === 'boundary').length <= 1;
}

function refuse(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
