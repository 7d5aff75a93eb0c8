import { type Changeable, idIn, inRequest, isAbout, parse, tokenOf } from './faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from './proxy.ts';

/** Where offers are made. */
export const creation = 'POST /api/v1/orders';
/** Where quotes are asked for. */
export const quoting = 'POST /api/v1/orders/quote';

/** Tells which requests are an action on an order. */
export function isAction({ method, path }: PassingRequest, ...actions: readonly string[]): boolean {
  const action = /^\/api\/v1\/orders\/[^/]+\/([^/?]+)$/.exec(path)?.[1];
  return method === 'POST' && action !== undefined && (actions.length === 0 || actions.includes(action));
}

/** Tells which requests make an offer or do something with one. */
export function isCommand(request: PassingRequest): boolean {
  return isAbout(request, creation) || isAction(request);
}

/** Changes every order in the answers of 200 and 201, whatever was asked for. */
export function inOrders(
  change: (order: Changeable) => unknown,
  isMeant: (request: PassingRequest) => boolean = () => true,
): Fault {
  return {
    onAnswer: (answer, request) => {
      const body = answer.status < 300 && request.path.startsWith('/api/v1/orders') ? parse(answer.body) : undefined;
      if (body === undefined || !isMeant(request)) return answer;
      const { order, orders } = body as { readonly order?: Changeable; readonly orders?: readonly Changeable[] };
      for (const one of [...(order === undefined ? [] : [order]), ...(orders ?? [])]) change(one);
      return { ...answer, body: JSON.stringify(body) };
    },
  };
}

/** Changes what is sent with some actions before the server sees it, by the order as it was last seen. */
export function inAction(
  actions: readonly string[],
  change: (body: Changeable, order: Changeable, request: PassingRequest) => unknown,
): Fault {
  const seen = new Map<string, Changeable>();
  return {
    onRequest: (request) => {
      const body = isAction(request, ...actions) ? parse(request.body) : undefined;
      if (body === undefined) return request;
      return { ...request, body: JSON.stringify(change(body, seen.get(idIn(request.path)) ?? {}, request) ?? body) };
    },
    onAnswer: (answer) => {
      const order = parse(answer.body)?.['order'] as Changeable | undefined;
      const newest = Number(seen.get(String(order?.['id']))?.['version'] ?? 0);
      if (order !== undefined && Number(order['version']) >= newest) seen.set(String(order['id']), order);
      return answer;
    },
  };
}

/** Changes one member of what is sent to make an offer. */
export function inOffer(name: string, repair: (value: unknown, offer: Changeable) => unknown): Fault {
  return inRequest(creation, (body) => ({ ...body, [name]: repair(body[name], body) }));
}

/** Answers in place of another answer, where it fits. */
export function insteadOf(
  isMeant: (answer: PassingAnswer, request: PassingRequest) => boolean,
  become: (answer: PassingAnswer, request: PassingRequest) => PassingAnswer,
): Fault {
  return { onAnswer: (answer, request) => (isMeant(answer, request) ? become(answer, request) : answer) };
}

/** Lends a request without a token the last one that worked. */
export function lendsTokens(isLent: (request: PassingRequest) => boolean): Fault {
  let last = '';
  return {
    onRequest: (request) =>
      tokenOf(request) === undefined && isLent(request)
        ? { ...request, headers: { ...request.headers, authorization: `Bearer ${last}` } }
        : request,
    onAnswer: (answer, request) => {
      if (answer.status === 200) last = tokenOf(request) ?? last;
      return answer;
    },
  };
}
