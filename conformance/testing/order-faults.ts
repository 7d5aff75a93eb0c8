import { idIn, isAbout, type MutableObject, parseJsonObject } from './faults.ts';
import type { Fault, ProxiedRequest } from './passing.ts';

const creation = 'POST /api/v1/orders';

export const quoteRequest = 'POST /api/v1/orders/quote';

export function isOrderAction({ method, path }: ProxiedRequest, ...actions: readonly string[]): boolean {
  const action = /^\/api\/v1\/orders\/[^/]+\/([^/?]+)$/.exec(path)?.[1];
  return method === 'POST' && action !== undefined && (actions.length === 0 || actions.includes(action));
}

export function isOrderCommand(request: ProxiedRequest): boolean {
  return isAbout(request, creation) || isOrderAction(request);
}

/** Changes the bodies of actions, given the order as last returned. Repeats are changed like the first request. */
export function changeActionBodies(
  actions: readonly string[],
  change: (body: MutableObject, order: MutableObject, request: ProxiedRequest) => unknown,
): () => Fault {
  return () => {
    const seen = new Map<string, MutableObject>();
    const sent = new Map<string, string>();
    return {
      onRequest: (request) => {
        const body = isOrderAction(request, ...actions) ? parseJsonObject(request.body) : undefined;
        if (body === undefined) return request;
        const changed = () => JSON.stringify(change(body, seen.get(idIn(request.path)) ?? {}, request) ?? body);
        const key = `${request.path} ${request.body}`;
        sent.set(key, sent.get(key) ?? changed());
        return { ...request, body: sent.get(key) ?? request.body };
      },
      onReply: (passing) => {
        const order = parseJsonObject(passing.body)?.['order'] as MutableObject | undefined;
        const newest = Number(seen.get(String(order?.['id']))?.['version'] ?? 0);
        if (order !== undefined && Number(order['version']) >= newest) seen.set(String(order['id']), order);
        return passing;
      },
    };
  };
}

/** Replaces a deadline by a later one if it is before the server's time, which another fault may have moved. */
export function moveDeadlinesAhead(): Fault {
  let nowMs = 0;
  return {
    onRequest: (passing) => {
      const body = isAbout(passing, creation) ? parseJsonObject(passing.body) : undefined;
      if (body === undefined || !(Date.parse(`${body['deadline']}`) < nowMs)) return passing;
      return { ...passing, body: JSON.stringify({ ...body, deadline: new Date(nowMs + 86_400_000).toISOString() }) };
    },
    onReply: (passing) => {
      nowMs = Date.parse(passing.headers['date'] ?? '') || nowMs;
      return passing;
    },
  };
}
