import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  type BodyOf,
  countsAsWrite,
  type Endpoint,
  isJsonContentType,
  isLimitedByAddress,
  limits,
  type ParamsOf,
  parseContentType,
  type QueryOf,
  type ReplyOf,
} from '@agent-platform/contract';
import { makeRequestValidator, type RequestValidator } from '@agent-platform/contract/validation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import {
  bodyTooLargeRefusal,
  formRequiredRefusal,
  unavailableRefusal,
  unsupportedMediaTypeRefusal,
} from '../failure.ts';
import { Refusal } from '../refusal.ts';
import { clientAddressOf } from './address.ts';
import { answerPreflight } from './cross-origin.ts';

interface Call<E extends Endpoint, Caller> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** The authenticated caller; undefined only if the operation requires no token. */
  readonly caller: E['auth'] extends 'bearer' ? Caller : Caller | undefined;
  /** The client's address, as reported by trusted proxies. */
  readonly address: string;
  /** GET or HEAD for an operation that reads, otherwise the operation's method. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: E['form'] extends TObject ? UnreadForm : undefined;
}

export interface UnreadForm {
  readonly contentType: string;
  readonly stream: Readable;
  /** The value of `Content-Length`; 0 without the header. */
  readonly announcedBytes: number;
  readonly maxBytes: number;
}

export function makeReply<const S extends number, const B>(
  status: S,
  body: B,
  headers: Readonly<Record<string, string>> = {},
): { readonly status: S; readonly body: B; readonly headers: Readonly<Record<string, string>> } {
  return { status, body, headers };
}

type Handler<E extends Endpoint, Caller> = (
  call: Call<E, Caller>,
) => Promise<ReplyOf<E> & { readonly headers: Readonly<Record<string, string>> }>;

interface Authentication<Caller> {
  /** Returns the caller that a bearer token identifies; refuses with `unauthorized` or `forbidden`. */
  authenticate(token: string): Promise<Caller>;
  idOf(caller: Caller): string;
}

/** Authentication and rate-limit hooks that run before every operation. */
interface AccessHooks<Caller> extends Authentication<Caller> {
  readonly limitAddress: AddressLimiter;
  /** Called for every request with a valid token. */
  onRequestOf(agentId: string): void;
  /** Counts an agent's write; returns a refusal above the limit. */
  limitWrites(agentId: string): Promise<Refusal | undefined>;
  /** True once the server prepares to stop; responses then close their connections. */
  isDraining(): boolean;
  /** True once the server stops. */
  isClosing(): boolean;
  readonly formMaxBytes: number;
}

/** Counts a request from an address; returns a refusal above the limit. */
export type AddressLimiter = (address: string) => Refusal | undefined | Promise<Refusal | undefined>;

export interface OperationMounter<Caller> {
  <const E extends Endpoint>(
    operation: E,
    handler: Handler<E, Caller>,
    /** Counts the request before its body is validated, for an operation with a separate limit. */
    limit?: AddressLimiter,
  ): void;
  /**
   * Returns a mounter for operations that authenticate the caller and read their data in one query. Only the wallet
   * operation uses it: with a second query, a request would take two thirds more processor time (285 µs instead of
   * 172 µs, the best of nine rounds of `bench wallet`).
   */
  authenticatedBy<Other>(authentication: Authentication<Other>): OperationMounter<Other>;
}

interface Access<Caller> {
  readonly caller: Caller | undefined;
  /** The request is counted immediately, but this refusal is only thrown after the checks that precede it in §8.11. */
  readonly overLimit: Refusal | undefined;
}

/**
 * Adds the access hooks to a server and returns the function that mounts operations, the only way to add routes. A
 * request passes the checks in the order of §8.11: address limit, token, method, media type, size, write limit, body.
 */
export function makeOperationMounter<Caller>(
  app: FastifyInstance,
  hooks: AccessHooks<Caller>,
  operations: readonly Endpoint[],
): OperationMounter<Caller> {
  app.addHook('onRequest', async (request, reply): Promise<unknown> => {
    const { operation, checksAccessItself } = request.routeOptions.config;
    if (checksAccessItself !== true && hooks.isDraining()) {
      reply.header('connection', 'close');
      // Liveness and readiness report the shutdown in their own responses.
      if (hooks.isClosing() && operation?.tag !== 'Health')
        throw unavailableRefusal(new Error('The server is stopping.'));
    }
    if (checksAccessItself !== true && (operation === undefined || isLimitedByAddress(operation))) {
      const refusal = await hooks.limitAddress(clientAddressOf(request));
      if (refusal !== undefined) throw refusal;
    }
    if (answerPreflight(request, reply)) return reply;
    if (request.headFault !== undefined) throw request.headFault;
    return undefined;
  });
  refuseOtherMethods(app, hooks, operations);
  return mountWith(app, hooks);
}

function mountWith<Caller>(app: FastifyInstance, hooks: AccessHooks<Caller>): OperationMounter<Caller> {
  const accesses = new WeakMap<FastifyRequest, Access<Caller>>();
  const mount: OperationMounter<Caller> = (operation, handler, limit) => {
    const validation = makeRequestValidator(operation);
    app.route({
      method: operation.method,
      url: toRoutePath(operation.path),
      config: { operation },
      onRequest: async (request) => {
        accesses.set(request, await checkAccess(hooks, operation, request, limit));
        if (operation.form === undefined) checkBodyHeaders(operation, request);
        else checkFormHeaders(request, hooks.formMaxBytes);
      },
      handler: async (request, reply) => {
        const { caller, overLimit } = accesses.get(request) ?? { caller: undefined, overLimit: undefined };
        if (overLimit !== undefined) throw overLimit;
        const form = operation.form === undefined ? undefined : openForm(request, hooks.formMaxBytes);
        const parts = validateCall(validation, operation, request);
        const { method, headers } = request;
        const call = { ...parts, caller, address: clientAddressOf(request), method, headers, form };
        return await send(request, reply, await handler(call as Parameters<typeof handler>[0]));
      },
    });
  };
  mount.authenticatedBy = (authentication) => mountWith(app, { ...hooks, ...authentication });
  return mount;
}

type Sent = Awaited<ReturnType<Handler<Endpoint, unknown>>>;

function send(request: FastifyRequest, reply: FastifyReply, { status, body, headers }: Sent): FastifyReply {
  reply.code(status).headers(headers);
  if (body === null) return reply.send();
  if (!(body instanceof Readable) || request.method !== 'HEAD') return reply.send(body);
  // A response to HEAD has no body, and Fastify would read the stream only to discard it.
  body.destroy();
  return reply.send(Readable.from([]));
}

async function checkAccess<Caller>(
  hooks: AccessHooks<Caller>,
  operation: Endpoint,
  request: FastifyRequest,
  limit?: AddressLimiter,
): Promise<Access<Caller>> {
  const header = request.headers.authorization;
  if (operation.auth === 'none' || (operation.auth === 'optional' && header === undefined)) {
    return { caller: undefined, overLimit: await limit?.(clientAddressOf(request)) };
  }
  const caller = await hooks.authenticate(parseBearerToken(header));
  request.agentId = hooks.idOf(caller);
  hooks.onRequestOf(request.agentId);
  const overLimit = countsAsWrite(operation, request.method) ? await hooks.limitWrites(request.agentId) : undefined;
  return { caller, overLimit: overLimit ?? (await limit?.(clientAddressOf(request))) };
}

/** Extracts the token from an Authorization header; the scheme is case-insensitive. */
export function parseBearerToken(header: string | undefined): string {
  const match = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '');
  if (match?.[1] !== undefined) return match[1];
  throw new Refusal('unauthorized', 'A token is required: send Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function checkBodyHeaders(operation: Endpoint, request: FastifyRequest): void {
  const headers = request.raw.headers;
  if (operation.body === undefined) {
    // A body that is sent anyway is not read (§2.28): without these headers, Fastify neither collects nor measures it.
    delete headers['content-type'];
    delete headers['content-length'];
    delete headers['transfer-encoding'];
    return;
  }
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (type === undefined ? hasBody : !isJsonContentType(type)) throw unsupportedMediaTypeRefusal();
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw unsupportedMediaTypeRefusal();
  if (Number(headers['content-length'] ?? 0) > limits.jsonBodyMaxBytes) throw bodyTooLargeRefusal();
}

function checkFormHeaders(request: FastifyRequest, maxBytes: number): void {
  const headers = request.raw.headers;
  if (parseContentType(headers['content-type'] ?? '').mediaType !== 'multipart/form-data') throw formRequiredRefusal();
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw formRequiredRefusal();
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLargeRefusal('The body', maxBytes);
}

function openForm(request: FastifyRequest, maxBytes: number): UnreadForm {
  const { headers } = request.raw;
  const announcedBytes = Number(headers['content-length'] ?? 0);
  return { contentType: headers['content-type'] ?? '', stream: request.raw, announcedBytes, maxBytes };
}

function validateCall(validation: RequestValidator, operation: Endpoint, request: FastifyRequest) {
  const params = validation.params(request.params as Record<string, string>);
  const at = request.url.indexOf('?');
  const query = validation.query(at === -1 ? '' : request.url.slice(at + 1));
  if (operation.body === undefined) return { params, query, body: undefined };
  if (!(request.body instanceof Uint8Array)) {
    throw new Refusal('invalid_input', 'A JSON body is required. Send at least {}.');
  }
  return { params, query, body: validation.body(request.body) };
}

/** Refuses an unsupported method of a known path with 405 and the list of supported methods (§1.12). */
function refuseOtherMethods<Caller>(
  app: FastifyInstance,
  hooks: AccessHooks<Caller>,
  operations: readonly Endpoint[],
): void {
  const byPath = Map.groupBy(operations, (operation) => operation.path);
  for (const [path, here] of byPath) {
    const known = new Set<string>(here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    const needsToken = here.every((operation) => operation.auth === 'bearer');
    const allow = [...known].join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !known.has(method)),
      url: toRoutePath(path),
      onRequest: async (request) => {
        if (needsToken) await checkAccess(hooks, { ...(here[0] as Endpoint), auth: 'bearer' }, request);
        throw new Refusal('method_not_allowed', `${request.method} is not allowed here. This path supports ${allow}.`, {
          headers: { allow },
        });
      },
      handler: async () => undefined,
    });
  }
}

/** Converts the path of an operation to a route; a parameter has at least one character (§1.10). */
export function toRoutePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1([^]+)');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Endpoint;
    /** Whether the route itself checks for shutdown and limits, because its refusals are not HTTP responses. */
    checksAccessItself?: boolean;
  }
}
