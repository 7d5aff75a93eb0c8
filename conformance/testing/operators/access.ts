import { type Endpoint, orderStates, orderTransitions } from '@agent-platform/contract';
import { codeIn, idIn, jsonReply, parseJsonObject, refusal, tokenOf, withToken } from '../faults.ts';
import { objectIn, pathBelowApi, textIn } from '../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { changeOperationRequests, type GeneratedFault, makeFaultFactory } from './generated.ts';
import { isCallOf, isSuccessful, testedOperations } from './places.ts';

const isRevocation = (request: ProxiedRequest) => /^\/tokens\/(rotate|revoke)$/.test(pathBelowApi(request));

/** The tokens that the server has issued, and those that were revoked or rotated. */
interface Tokens {
  readonly issued: ReadonlySet<string>;
  readonly ended: ReadonlySet<string>;
}

/** Replaces the selected tokens by the token of the last successful request. */
function lends(isMeant: (token: string | undefined, tokens: Tokens) => boolean) {
  return (operation: Endpoint) => (): Fault => {
    // The tokens of successful requests, in the order of their last use.
    const working = new Set<string>();
    const [issued, ended] = [new Set<string>(), new Set<string>()];
    return {
      onRequest: (request) => {
        const last = [...working].at(-1);
        const isLent =
          last !== undefined && isCallOf(operation, request) && isMeant(tokenOf(request), { issued, ended });
        return isLent ? withToken(request, last) : request;
      },
      onReply: (reply, request) => {
        const token = tokenOf(request) ?? '';
        const isEnded = isRevocation(request) && reply.status === 200;
        const next = textIn(parseJsonObject(reply.body), 'token');
        if (isSuccessful(reply) && next !== '') issued.add(next);
        if (isEnded) ended.add(token);
        if (reply.status === 200 && token !== '') working.delete(token);
        if (reply.status === 200 && token !== '' && !isEnded) working.add(token);
        if (isEnded && next !== '') working.add(next);
        return reply;
      },
    };
  };
}

/** Sends a request about a record with the token of the first agent that changed the record. */
function actsForOthers(operation: Endpoint): () => Fault {
  return () => {
    const owners = new Map<string, string>();
    return {
      onRequest: (request) => {
        const owner = owners.get(idIn(request.path));
        return owner !== undefined && isCallOf(operation, request) ? withToken(request, owner) : request;
      },
      onReply: (reply, request) => {
        const id = idIn(request.path) || idIn(reply.body);
        if (isSuccessful(reply) && request.method !== 'GET' && id !== '' && !owners.has(id))
          owners.set(id, tokenOf(request) ?? '');
        return reply;
      },
    };
  };
}

/** Sends a request about the caller's own data with the token of the previous request. */
function mixesUpAgents(operation: Endpoint): () => Fault {
  return () => {
    let last: string | undefined;
    return changeOperationRequests(operation, (request) => {
      const before = last;
      last = tokenOf(request) ?? last;
      return before === undefined || tokenOf(request) === undefined ? request : withToken(request, before);
    });
  };
}

const hasEnded = (token: string | undefined, { ended }: Tokens) => token !== undefined && ended.has(token);
const isUnknown = (token: string | undefined, { issued }: Tokens) => token !== undefined && !issued.has(token);
const operators: readonly (readonly [
  string,
  string,
  (operation: Endpoint) => boolean,
  (operation: Endpoint) => () => Fault,
])[] = [
  [
    'needs no token',
    'an operation needs a token',
    ({ auth }) => auth === 'bearer',
    lends((token) => token === undefined),
  ],
  ['accepts a token that has ended', 'a revoked token is 401', ({ auth }) => auth === 'bearer', lends(hasEnded)],
  ['accepts wrong tokens', 'a wrong token is 401', ({ auth }) => auth !== 'none', lends(isUnknown)],
  ['serves strangers', 'only the token identifies the agent', ({ path }) => path.includes('{'), actsForOthers],
  [
    'mixes up its callers',
    'only the token identifies the agent',
    ({ path, auth }) => !path.includes('{') && auth === 'bearer',
    mixesUpAgents,
  ],
];

const accessFaults = operators.flatMap(([operator, violates, isMeant, make]) => {
  const named = makeFaultFactory(operator, violates);
  return testedOperations.filter(isMeant).map((operation) => named(operation.id, '', make(operation)));
});

/** Stores orders as last returned, and the tokens of their participants. */
function rememberOrders() {
  const orders = new Map<string, Readonly<Record<string, unknown>>>();
  const callers = new Map<string, Set<string>>();
  return {
    note: (reply: ProxiedReply, request: ProxiedRequest): void => {
      const order = objectIn(reply, 'order');
      const id = textIn(order, 'id');
      if (order === undefined || !isSuccessful(reply)) return;
      if (Number(order['version']) >= Number(orders.get(id)?.['version'] ?? 0)) orders.set(id, order);
      callers.set(id, (callers.get(id) ?? new Set()).add(tokenOf(request) ?? ''));
    },
    of: (request: ProxiedRequest) => orders.get(idIn(request.path)),
    others: (request: ProxiedRequest) =>
      [...(callers.get(idIn(request.path)) ?? [])].filter((token) => token !== tokenOf(request)),
  };
}

const namedState = makeFaultFactory('permits', 'an action is possible only in the specified states');
const namedRole = makeFaultFactory('permits the wrong agent to', 'only the specified role may perform an action');
const namedRefused = makeFaultFactory('refuses', 'an action is possible in each of the specified states');
const actions = Object.values(orderTransitions);
const operationOf = (action: string) =>
  testedOperations.find(({ path }) => path === `/api/v1/orders/{order_id}/${action}`);
const stateFaults = actions.flatMap(({ action, from, to }) => {
  const operation = operationOf(action);
  if (operation === undefined) return [];
  const within =
    (state: string, become: (reply: ProxiedReply, order: Readonly<Record<string, unknown>>) => ProxiedReply) =>
    (): Fault => {
      const { note, of } = rememberOrders();
      return {
        onReply: (reply, request) => {
          const order = of(request);
          note(reply, request);
          return isCallOf(operation, request) && order?.['state'] === state ? become(reply, order) : reply;
        },
      };
    };
  const permits = (state: string) =>
    within(state, (reply, order) =>
      codeIn(reply) === 'state_conflict'
        ? jsonReply(200, { order: { ...order, state: to, version: Number(order['version']) + 1 } })
        : reply,
    );
  const refuses = (state: string) =>
    within(state, (reply) => (isSuccessful(reply) ? refusal(409, 'state_conflict') : reply));
  const anybody = (): Fault => {
    const { note, others } = rememberOrders();
    return {
      ...changeOperationRequests(operation, (request) => {
        const [other] = others(request);
        return other === undefined ? request : withToken(request, other);
      }),
      onReply: (reply, request) => {
        note(reply, request);
        return reply;
      },
    };
  };
  return [
    ...orderStates
      .filter((state) => !(from as readonly string[]).includes(state))
      .map((state) => namedState(operation.id, `in ${state}`, permits(state))),
    ...from.map((state) => namedRefused(operation.id, `in ${state}`, refuses(state))),
    namedRole(operation.id, '', anybody),
  ];
});

/** Faults in permissions: which agents may perform which action, and in which states. */
export const permissionFaults: readonly GeneratedFault[] = [...accessFaults, ...stateFaults];
