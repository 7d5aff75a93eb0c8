import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './error-codes.ts';

/** Who may call: anyone, a bearer of a valid token, or both (a wrong token is refused). */
export type Auth = 'none' | 'bearer' | 'optional';

/**
 * How a client may repeat a call whose outcome it does not know:
 * `safe` at will, since it changes nothing; `idempotent` at will, since the same
 * call again changes nothing more; `with-key` when the body carries the same
 * idempotency key and the same content; `never` on its own (§8.17, §8.18).
 */
export type Repeat = 'safe' | 'idempotent' | 'with-key' | 'never';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The parts of the API, as the specification groups its endpoints. */
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
 * One operation of the API as data. The server mounts a handler on it, the SDK
 * calls through it and OpenAPI is printed from it, so path, validation,
 * authentication, types and documents cannot disagree.
 */
export interface Endpoint {
  /** Unique; the `operationId` of OpenAPI. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly method: Method;
  /** With `{name}` where a value of `params` goes. */
  readonly path: string;
  readonly auth: Auth;
  readonly repeat: Repeat;
  /** Whether HEAD is part of the contract as well. A server answers it wherever GET is; the specification names it for files. */
  readonly hasHead?: true;
  readonly params?: TObject;
  /** Query parameters. None named means that none is allowed (§1.29). */
  readonly query?: TObject;
  /** A JSON body. None named means that a body, if one is sent, is not read. */
  readonly body?: TObject;
  /** A multipart form instead of a JSON body. A member with the format `binary` is a file. */
  readonly form?: TObject;
  /** The code for a wrong body or query when the field defines none. */
  readonly refusal?: BodyRefusal;
  readonly replies: { readonly [status: number]: TSchema };
  /** The codes that this operation declares; those of every operation are added by `errorsOf`. */
  readonly errors: readonly ErrorCode[];
}

/** The codes of a body that does not have its form, when a field defines none. */
export interface BodyRefusal {
  readonly invalid: ErrorCode;
  readonly unknownMember: ErrorCode;
  /** When any member is missing, whatever else is wrong. */
  readonly missingMember?: ErrorCode;
  /** Unknown members that have their own code, which is reported before all others. */
  readonly forbiddenMembers?: { readonly names: readonly string[]; readonly code: ErrorCode };
}

/** Declares an operation; the types of its parts flow to the handler and to the client. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<never, never>;

export type ParamsOf<E extends Endpoint> = StaticOf<E['params']>;
export type QueryOf<E extends Endpoint> = StaticOf<E['query']>;
export type BodyOf<E extends Endpoint> = StaticOf<E['body']>;

/** Any answer of an operation: its status with the body that goes with it. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: { readonly status: S; readonly body: StaticOf<E['replies'][S]> };
}[keyof E['replies'] & number];

/** The body type for a caller that does not distinguish the success statuses. */
export type ResultOf<E extends Endpoint> = ReplyOf<E>['body'];

/** Methods that change something, as a rule. */
export function isMutating(method: string): boolean {
  return method === 'POST' || method === 'PATCH' || method === 'DELETE';
}

/** Whether a request on the path of an operation counts as a write of an identity: refused ones do, a quote does not (§9.4). */
export function countsAsWrite(operation: Endpoint, method: string): boolean {
  return isMutating(method) && !(operation.method === method && operation.repeat === 'safe');
}

/** Liveness and readiness are asked by machines all day and are never limited (§9.11). */
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

/** Every code that an operation may answer: its own, and those that belong to all like it. */
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

/** The same as a type. It counts every method but GET as a write, and every operation as limited. */
export type ErrorsOf<E extends Endpoint> =
  // An operation that declares none has the type of all.
  | (ErrorCode extends E['errors'][number] ? never : E['errors'][number])
  | 'invalid_input'
  | 'rate_limited'
  | (E['params'] extends TObject ? (typeof codesOfParams)[number] : never)
  | (E['auth'] extends 'none' ? never : (typeof codesOfCallers)[number])
  | (E['auth'] extends 'bearer' ? (E['method'] extends 'GET' ? never : 'write_limited') : never)
  | (typeof codesOfAll)[number];
