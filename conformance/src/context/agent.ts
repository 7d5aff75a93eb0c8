import type { Exchange } from './http/http-client.ts';
import { mePath } from './paths.ts';
import type { PoolAgent } from './pool/pool.ts';
import type { ApiRequest, RequestSender } from './send.ts';

export type ApiClient = ReturnType<typeof openClient>;

export interface Agent extends PoolAgent, ApiClient {}

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

/** Opens all connections first, so that no request waits for a connection. */
export async function sendConcurrently<T>(
  agent: Agent,
  items: readonly T[],
  request: (item: T) => Promise<Exchange>,
): Promise<readonly Exchange[]> {
  await Promise.all(items.map(() => agent.get(mePath)));
  return await Promise.all(items.map(request));
}
