import type { Exchange } from './http/http-client.ts';
import { mePath } from './paths.ts';
import type { PoolAgent } from './pool/pool.ts';
import type { ApiRequest, RequestSender } from './send.ts';

/** A client that sends requests with one token, or without a token. */
export type ApiClient = ReturnType<typeof openClient>;

/** A registered agent, with a client that sends requests with its token. */
export interface Agent extends PoolAgent, ApiClient {}

/** Opens a client that sends this token; without a token, its requests are anonymous. */
export function openClient(sendRequest: RequestSender, token?: string) {
  const send = (request: ApiRequest) => sendRequest(token === undefined ? request : { ...request, token });
  return {
    send,
    get: (path: string) => send({ path }),
    head: (path: string) => send({ method: 'HEAD', path }),
    /** Without `json`, the request has no body. */
    post: (path: string, json?: unknown) => send({ method: 'POST', path, json }),
    patch: (path: string, json: unknown) => send({ method: 'PATCH', path, json }),
    delete: (path: string) => send({ method: 'DELETE', path }),
  };
}

/** Sends one request per item concurrently. All connections are opened first, so that no request waits for its own. */
export async function sendConcurrently<T>(
  agent: Agent,
  items: readonly T[],
  request: (item: T) => Promise<Exchange>,
): Promise<readonly Exchange[]> {
  await Promise.all(items.map(() => agent.get(mePath)));
  return await Promise.all(items.map(request));
}
