// Apart from the front door: what a client needs while it runs. The schemas stay out, as making them takes most of the
// time that the front door takes to load.
import printed from './client-endpoints.json' with { type: 'json' };
import type { Endpoint } from './endpoint.ts';
import type * as contract from './index.ts';

export { findEncodedKeyFault } from './encryption-key.ts';
export { errorStatuses, isErrorCode, permanentLimitCodes } from './error-codes.ts';
export { eventKinds, eventsPath, finalCloseCodes } from './event-stream.ts';
export { parseExactJson } from './exact-json.ts';
export { toTypedFileName } from './file-name.ts';
export { parseHttpDate } from './http-date.ts';
export type * from './index.ts';
export { limits } from './limits.ts';
export { parseContentType } from './media-type.ts';
export { findNearestName } from './nearest-name.ts';
export { allowedActions, decideOrderAction, isFinal, orderTransitions } from './order-machine.ts';
export { orderActions, orderStates } from './order-states.ts';

/** What a client has of an operation while it runs: of a reply the required members with their JSON types. */
export type ClientEndpoint = Pick<Endpoint, 'id' | 'method' | 'path' | 'auth' | 'repeat' | 'replies' | 'errors'>;

/** The operations by their ids. To the compiler they are whole, as the types of parameters and results follow from it. */
export const endpoints = printed as unknown as Pick<typeof contract, keyof typeof printed>;

/** Every operation of the API, without its schemas. */
export const operations = Object.values(printed) as unknown as readonly ClientEndpoint[];
