import type { Exchange } from './http/http-client.ts';
import type { PoolAgent } from './pool/pool.ts';
import type { ApiRequest, Send } from './send.ts';

/** Sends requests with one token, or with none. */
export interface ApiClient {
  get(path: string): Promise<Exchange>;
  head(path: string): Promise<Exchange>;
  /** Without `json` there is no body. */
  post(path: string, json?: unknown): Promise<Exchange>;
  patch(path: string, json: unknown): Promise<Exchange>;
  delete(path: string): Promise<Exchange>;
  send(request: ApiRequest): Promise<Exchange>;
}

/** An agent that a check acts as. */
export interface Agent extends PoolAgent, ApiClient {}

/** Opens a client for a token; without one it is anonymous. */
export function openClient(sendRequest: Send, token?: string): ApiClient {
  const send = (request: ApiRequest) => sendRequest(token === undefined ? request : { ...request, token });
  return {
    send,
    get: (path) => send({ path }),
    head: (path) => send({ method: 'HEAD', path }),
    post: (path, json) => send({ method: 'POST', path, json }),
    patch: (path, json) => send({ method: 'PATCH', path, json }),
    delete: (path) => send({ method: 'DELETE', path }),
  };
}
