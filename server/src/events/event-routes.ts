import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventsPath, limits } from '@agent-platform/contract';
import websocket, { type WebsocketPluginOptions } from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { clientAddressOf } from '../platform/http/address.ts';
import { refuseHandshake } from '../platform/http/client-error.ts';
import type { AddressLimiter } from '../platform/http/mount.ts';
import { Refusal } from '../platform/refusal.ts';
import type { ConnectionAdmitter } from './admission-commands.ts';
import { EventSocket } from './event-socket.ts';

/** An ack is one small frame, so a message with more fragments than this is an attack. */
const fragmentsMax = 16;
const chunksMax = 1_024;

/** The time in which a peer must answer a close frame before its connection is terminated. */
const closeTimeoutMs = 5_000;

const socketOptions = Object.assign<NonNullable<WebsocketPluginOptions['options']>, object>(
  {
    maxPayload: limits.eventFrameMaxBytes,
    maxFragments: fragmentsMax,
    maxBufferedChunks: chunksMax,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => false,
  },
  // This object is untyped, because the option types expect a module instead of this class, and lack two options.
  {
    WebSocket: EventSocket,
    closeTimeout: closeTimeoutMs,
    // This is high enough that the frame limit, not this limit, ends a flood of pings.
    maxPendingAutoPongs: 2 * limits.eventFramesPerMinute,
  },
);

export function mountEvents(http: FastifyInstance, admit: ConnectionAdmitter, limitAddress: AddressLimiter): void {
  const handshakes = new WeakMap<IncomingMessage, { readonly id: string; readonly response: ServerResponse }>();
  const idOf = (request: IncomingMessage) => handshakes.get(request)?.id ?? '';
  http.register(websocket, {
    options: socketOptions,
    // Replaces the default, which closes all connections: the event stream has already closed them.
    preClose: (done) => done(),
  });
  http.register(async (scope) => {
    scope.websocketServer.on('headers', (headers, request) => headers.push(`request-id: ${idOf(request)}`));
    scope.websocketServer.on('wsClientError', (_error, socket, request) => refuseHandshake(socket, idOf(request)));
    scope.route({
      method: ['GET', 'HEAD'],
      url: eventsPath,
      config: { checksAccessItself: true },
      onRequest: async (request, reply) => {
        handshakes.set(request.raw, { id: request.id, response: reply.raw });
      },
      handler: async (request) => {
        const tooMany = await limitAddress(clientAddressOf(request));
        if (tooMany !== undefined) throw tooMany;
        throw new Refusal('invalid_input', 'This is the event stream. Connect with a WebSocket.');
      },
      wsHandler: (socket, request) => {
        detachHandshake(socket, request.raw, handshakes.get(request.raw)?.response);
        admit(socket, {
          requestId: request.id,
          hasQuery: request.url.includes('?'),
          authorization: request.headers.authorization,
          address: clientAddressOf(request),
        });
      },
    });
    scope.route({
      method: scope.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD'),
      url: eventsPath,
      handler: async (request) => {
        throw new Refusal('method_not_allowed', `${request.method} is not allowed here. This path supports GET.`, {
          headers: { allow: 'GET, HEAD' },
        });
      },
    });
  });
}

// Detaches the request and response of the handshake from the connection, which can last for days: otherwise they would
// stay in memory as long as the connection, and need more memory than it does.
function detachHandshake(socket: WebSocket, request: IncomingMessage, response: ServerResponse | undefined): void {
  response?.detachSocket(request.socket);
  socket.removeAllListeners('error');
  socket.on('error', endBroken);
}

// After a malformed frame, the library closes the connection itself. A connection that is still open is broken.
function endBroken(this: WebSocket): void {
  if (this.readyState === this.OPEN) this.terminate();
}
