import type { ClientRequest } from 'node:http';
import { Duplex } from 'node:stream';
import type { ClientOptions } from 'ws';
import type { RequestDispatcher } from '../transport/http/dispatcher.ts';
import type { HeaderFields } from '../transport/http/response-headers.ts';
import { type RequestController, ResponseReceiver, toHeaders } from '../transport/http/response-receiver.ts';
import { describeConnectFailure } from '../transport/network-failure.ts';

/**
 * Makes `WebSocket` options that send the handshake through a dispatcher, so that streams use the same proxy as calls.
 * The request that `ws` creates is never sent; the dispatcher's response events are emitted on it.
 */
export function makeHandshakeOptions(
  dispatcher: RequestDispatcher,
  url: URL,
  timeoutMs: number,
): Partial<ClientOptions> {
  const origin = `${url.protocol.replace('ws', 'http')}//${url.host}`;
  return {
    // @ts-expect-error: Any duplex stream will do, as for `http.request`.
    createConnection: () => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }),
    finishRequest: (request) => {
      const { host, connection, upgrade, ...headers } = request.getHeaders();
      const timer = setTimeout(() => request.emit('timeout'), timeoutMs).unref();
      request.once('close', () => clearTimeout(timer));
      const { path } = request;
      // Few HTTP/2 servers support WebSockets over HTTP/2.
      const options = { origin, path, method: 'GET', headers, upgrade: 'websocket', allowH2: false };
      dispatcher.dispatch(options, new Handshake(request, origin));
    },
  };
}

/** Emits the events of the handshake response on the unsent request of `ws`. */
class Handshake extends ResponseReceiver {
  readonly #request: ClientRequest;
  readonly #origin: string;
  #controller: RequestController | undefined;

  constructor(request: ClientRequest, origin: string) {
    super();
    this.#request = request;
    this.#origin = origin;
    request.once('close', () => this.#controller?.abort(new Error('The handshake was abandoned.')));
  }

  onRequestStart(controller: RequestController): void {
    this.#controller = controller;
    if (this.#request.destroyed) controller.abort(new Error('The handshake was abandoned.'));
  }

  onRequestUpgrade(_: unknown, _status: number, headers: HeaderFields, socket: Duplex): void {
    this.#controller = undefined;
    this.#request.emit('upgrade', { headers }, socket, Buffer.alloc(0));
    this.#request.destroy();
  }

  onResponseStart(_: unknown, statusCode: number, found: Headers | HeaderFields): void {
    const headers = found instanceof Headers ? Object.fromEntries(found) : found;
    if (statusCode >= 200) this.#request.emit('response', { statusCode, headers });
  }

  onResponseData(): void {}

  onResponseEnd(): void {}

  onResponseError(_: unknown, error: Error): void {
    this.#controller = undefined;
    this.#request.emit('error', new Error(describeConnectFailure(this.#origin, error), { cause: error }));
    this.#request.destroy();
  }

  onUpgrade(status: number, raw: readonly Buffer[], socket: Duplex): void {
    this.onRequestUpgrade(undefined, status, Object.fromEntries(toHeaders(raw)), socket);
  }
}
