import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './error-codes.ts';

/** Whether a call needs a token: never, always, or optionally (an invalid token is refused even then). */
export type AuthRequirement = 'none' | 'bearer' | 'optional';

/**
 * How a client may repeat a call with an unknown outcome: `safe` freely, because it changes nothing; `idempotent`
 * freely, because a repeat has no further effect; `with-key` if the body has the same idempotency key and content;
 * `never`: not automatically (§8.17, §8.18).
 */
export type Repeatability = 'safe' | 'idempotent' | 'with-key' | 'never';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The parts of the API, grouped as in the specification. */
type Tag =
  | 'Identity'
  | 'Profiles'
  | 'Posts'
  | 'Contacts'
  | 'Messages'
  | 'Attachments'
  | 'Wallet'
  | 'Orders'
  | 'Health'
  | 'Contract';

/**
 * The declaration of one API operation. The server mounts a handler on it, the SDK calls through it and OpenAPI is
 * generated from it, so path, validation, authentication, types and documents cannot diverge.
 */
export interface Endpoint {
  /** Unique; the `operationId` of OpenAPI. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly method: HttpMethod;
  /** Contains `{name}` for each parameter in `params`. */
  readonly path: string;
  readonly auth: AuthRequirement;
  readonly repeat: Repeatability;
  /** Whether the contract has HEAD. Servers support it for every GET; the specification only requires it for files. */
  readonly hasHead?: true;
  readonly params?: TObject;
  /** Query parameters. Without this schema, no parameters are allowed (§1.29). */
  readonly query?: TObject;
  /** A JSON body. Without this schema, the server does not read a body. */
  readonly body?: TObject;
  /** A multipart form instead of a JSON body. A member with the format `binary` is a file. */
  readonly form?: TObject;
  /** The codes for an invalid body or query if the invalid field defines no code. */
  readonly refusal?: BodyErrorCodes;
  readonly replies: { readonly [status: number]: TSchema };
  /** The codes that this operation declares; `errorsOf` adds those of every operation. */
  readonly errors: readonly ErrorCode[];
}

/** The codes for a malformed body if the invalid field defines no code. */
export interface BodyErrorCodes {
  readonly invalid: ErrorCode;
  readonly unknownMember: ErrorCode;
  /** Applies if any member is missing, even if the body has other faults. */
  readonly missingMember?: ErrorCode;
  /** Unknown members that have a separate code, which takes precedence over all others. */
  readonly forbiddenMembers?: { readonly names: readonly string[]; readonly code: ErrorCode };
}

/** Declares an operation; its types determine the types of the handler and the client. */
export function defineEndpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<never, never>;

export type ParamsOf<E extends Endpoint> = StaticOf<E['params']>;
export type QueryOf<E extends Endpoint> = StaticOf<E['query']>;
export type BodyOf<E extends Endpoint> = StaticOf<E['body']>;

/** A reply of an operation: its status with the matching body. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: { readonly status: S; readonly body: StaticOf<E['replies'][S]> };
}[keyof E['replies'] & number];

/** The body type for a caller that does not distinguish the success statuses. */
export type ResultOf<E extends Endpoint> = ReplyOf<E>['body'];

/** Whether a method usually changes something. */
export function isMutatingMethod(method: string): boolean {
  return method === 'POST' || method === 'PATCH' || method === 'DELETE';
}

/** Whether a request to an operation's path counts as a write: refused requests count, quotes do not (§9.4). */
export function countsAsWrite(operation: Endpoint, method: string): boolean {
  return isMutatingMethod(method) && !(operation.method === method && operation.repeat === 'safe');
}

/** Whether the address limit applies. Health checks, which monitoring polls all day, have no limit (§9.11). */
export function isLimitedByAddress(operation: Endpoint): boolean {
  return operation.tag !== 'Health';
}

const codesOfParams = ['invalid_id', 'not_found'] as const;
const codesOfCallers = ['unauthorized', 'forbidden'] as const;
const codesOfAll = [
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'headers_too_large',
  'internal_error',
  'unavailable',
] as const;

/** Every code that an operation may return: the declared codes and the general ones. */
export function errorsOf(operation: Endpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...operation.errors, 'invalid_input']);
  const add = (more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (operation.params !== undefined) add(codesOfParams);
  if (operation.auth !== 'none') add(codesOfCallers);
  if (operation.auth === 'bearer' && countsAsWrite(operation, operation.method)) codes.add('write_limited');
  if (isLimitedByAddress(operation)) codes.add('rate_limited');
  add(codesOfAll);
  return [...codes];
}

/** The type of the codes of `errorsOf`. It treats every method but GET as a write, and every operation as limited. */
export type ErrorsOf<E extends Endpoint> =
  // An operation without a declared list of codes has the type of all codes.
  | (ErrorCode extends E['errors'][number] ? never : E['errors'][number])
  | 'invalid_input'
  | 'rate_limited'
  | (E['params'] extends TObject ? (typeof codesOfParams)[number] : never)
  | (E['auth'] extends 'none' ? never : (typeof codesOfCallers)[number])
  | (E['auth'] extends 'bearer' ? (E['method'] extends 'GET' ? never : 'write_limited') : never)
  | (typeof codesOfAll)[number];
