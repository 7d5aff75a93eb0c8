// A separate entry point with the values that clients need at run time. It has no schemas, because creating them takes
// most of the loading time of the main entry point.
import printed from './client-endpoints.json' with { type: 'json' };
import type { Endpoint } from './endpoint.ts';
import type { operationsById } from './operations/all-operations.ts';

export type { ApiErrorMeanings } from './documents/error-texts.ts';
export { findEncodedKeyFault } from './encryption-key.ts';
export type { BodyOf, Endpoint, ErrorsOf, ParamsOf, QueryOf, Repeatability, ResultOf } from './endpoint.ts';
export { type ErrorCode, errorStatuses, isErrorCode, permanentLimitCodes } from './error-codes.ts';
export { eventKinds, eventsPath, finalCloseCodes } from './event-stream.ts';
export { parseExactJson } from './exact-json.ts';
export { toTypedFileName } from './file-name.ts';
export { parseHttpDate } from './http-date.ts';
export { limits } from './limits.ts';
export { parseContentType } from './media-type.ts';
export { findNearestName } from './nearest-name.ts';
export type { EventKind } from './operations/event.ts';
export type { OrderAction } from './operations/order.ts';
export {
  type ActionInState,
  allowedActions,
  decideOrderAction,
  isFinal,
  type OrderActor,
  type OrderDecisionFields,
  type OrderRefusal,
  type OrderTransition,
  orderTransitions,
} from './order-machine.ts';
export { orderActions, orderStates } from './order-states.ts';

/** An operation as a client needs it at run time: responses are reduced to required members and their JSON types. */
export type ClientEndpoint = Pick<Endpoint, 'id' | 'method' | 'path' | 'auth' | 'repeat' | 'replies' | 'errors'>;

/** The operations by id. The declared type also has the omitted members, because all other types derive from it. */
export const endpoints = printed as unknown as typeof operationsById;

export type OperationName = keyof typeof endpoints;

/** Every operation of the API, without its schemas. */
export const operations: readonly ClientEndpoint[] = /* @__PURE__ */ Object.values(endpoints);
