import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '../refusal.ts';
import { minAverageChunkBytes } from './counted-request.ts';
import { defaultResponseHeaders, STATUS_CODES } from './headers.ts';

/** How long a client has to read the final response before its connection closes. */
const lingerMs = 1_000;

/** The error code for a body that arrives in too many chunks. */
export const smallChunksCode = 'SMALL_CHUNKS';

/**
 * Responds to a request that failed before it was routed, because its headers are too large or arrive too slowly, or
 * because it is not HTTP. The response, with the additional `headers`, is written directly to the socket, because the
 * framework has no reply object yet. `open` is the response that was started last on this connection.
 */
export function respondToClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
  open: ServerResponse | undefined,
): Refusal | undefined {
  if (error.code === 'ECONNRESET' || socket.destroyed) return undefined;
  const refusal = refuseWire(error.code);
  if (!socket.writable || (open !== undefined && hasPendingResponse(open))) {
    socket.destroy();
    return refusal;
  }
  endWith(socket, refusal, headers);
  return refusal;
}

/** Responds to an upgrade that is not a WebSocket handshake. */
export function refuseHandshake(socket: Duplex, requestId: string): void {
  const message = 'This is not a WebSocket version 13 handshake. Check its headers.';
  endWith(socket, new Refusal('invalid_input', message), { 'request-id': requestId });
}

function endWith(socket: Duplex, refusal: Refusal, headers: Readonly<Record<string, string>>): void {
  const body = JSON.stringify(refusal.toReply());
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries({ ...defaultResponseHeaders, ...headers }).map(([name, value]) => `${name}: ${value}`),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  // Otherwise a client that does not close its side would keep the connection open.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function refuseWire(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(
        'headers_too_large',
        'The headers exceed the limit of 16 KiB in total. Send fewer or shorter headers.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('body_too_large', 'The chunk extensions of the body are too large. Remove them.');
    case smallChunksCode:
      return new Refusal(
        'request_timeout',
        `The chunks of the body are too small. Send at least ${minAverageChunkBytes} bytes in each chunk.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request was not received in time. Send it again without pauses.');
    default:
      return new Refusal('invalid_input', 'This is not a valid HTTP/1.1 request. Check its framing.');
  }
}

// Whether the response to an earlier request is incomplete; a client would mistake an error response for a part of it.
function hasPendingResponse(response: ServerResponse): boolean {
  return !response.writableFinished && (response.headersSent || response.req.complete);
}
