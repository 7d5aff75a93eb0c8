import type { Endpoint } from '@agent-platform/contract';
import { type FaultyServer, parseJsonObject, withJson } from '../faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { applyToMember, isCallOf, isSuccessful, type MemberChange } from './places.ts';

/** A fault that an operator generates for an operation or an event kind. */
export interface GeneratedFault extends FaultyServer {
  /** The name of the operator, and the operation or event kind to which it is applied. */
  readonly operator: string;
  readonly place: string;
  /** The rule that the fault violates, as a sentence. */
  readonly violates: string;
}

/** Returns a function that makes the faults of an operator and names them. */
export function makeFaultFactory(operator: string, violates: string) {
  return (place: string, detail: string, fault: () => Fault): GeneratedFault => ({
    ...{ operator, place, violates, kills: [], fault },
    name: [place, operator, detail].filter((part) => part !== '').join(' '),
  });
}

export function changeReplyMember(operation: Endpoint, path: readonly string[], makeChange: () => MemberChange) {
  return (): Fault => {
    const change = makeChange();
    return changeOperationReplies(operation, (reply) => changeMember(reply, path, change));
  };
}

export function changeOperationReplies(
  operation: Endpoint,
  change: (reply: ProxiedReply, request: ProxiedRequest) => ProxiedReply,
): Fault {
  return {
    onReply: (reply, request) => (isSuccessful(reply) && isCallOf(operation, request) ? change(reply, request) : reply),
  };
}

/** Changes the requests to an operation, or answers them without the server. */
export function changeOperationRequests(
  operation: Endpoint,
  change: (request: ProxiedRequest) => ProxiedRequest | ProxiedReply,
): Fault {
  return { onRequest: (request) => (isCallOf(operation, request) ? change(request) : request) };
}

/** Changes a member of a JSON body if it is present. */
export function changeMember<M extends ProxiedReply | ProxiedRequest>(
  message: M,
  path: readonly string[],
  change: MemberChange,
): M {
  return parseJsonObject(message.body) === undefined
    ? message
    : withJson(message, (body) => applyToMember(body, path, change));
}

/** Returns a function that returns the argument of its previous call, which may come from another record. */
export function makePreviousValue(): (value: unknown) => unknown {
  let last: unknown;
  return (value) => {
    const before = last ?? value;
    last = value;
    return before;
  };
}

/** The number of characters (code points) in a string; 0 for other values. */
export function countCodePoints(value: unknown): number {
  return typeof value === 'string' ? [...value].length : 0;
}
