import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from './refusal.ts';

/**
 * Answers a request that failed below the routes: headers too large or too slow,
 * or bytes that are no HTTP. Written by hand, because no response exists yet.
 */
export function answerWireFailure(
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
): Refusal | undefined {
  if (error.code === 'ECONNRESET' || socket.destroyed) return undefined;
  const refusal = refuseWire(error.code);
  // Half an answer may be on its way already; a second one inside of it would be worse than none.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return refusal;
  }
  const body = JSON.stringify(refusal.toReply());
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  return refusal;
}

function refuseWire(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(
        'headers_too_large',
        'The headers are over the limit of 16 KiB in all. Send fewer or shorter ones.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('body_too_large', 'The chunk extensions of the body are too large. Leave them out.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request was not complete in time. Send it again, in one go.');
    default:
      return new Refusal('invalid_input', 'This is not a valid HTTP/1.1 request. Check how it is framed.');
  }
}
