import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  type BodyOf,
  countsAsWrite,
  type Endpoint,
  isLimitedByAddress,
  limits,
  type ParamsOf,
  type QueryOf,
  type ReplyOf,
} from '@agent-platform/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { bodyTooLarge, formNeeded, unavailable, unsupportedMediaType } from '../failure.ts';
import { Refusal } from '../refusal.ts';
import { isJsonType, parseJsonBody } from './json-body.ts';
import { findHeadFault } from './request-head.ts';
import { prepareValidation, type Validation } from './validate.ts';

/** A validated request, as its handler gets it. */
export interface Call<E extends Endpoint, Agent> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Who calls; undefined only where the operation lets anybody in. */
  readonly agent: E['auth'] extends 'bearer' ? Agent : Agent | undefined;
  /** The client's address, with trusted proxies looked through. */
  readonly address: string;
  /** GET or HEAD where the operation reads, else its own method. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The form as it arrives, where the operation takes one. */
  readonly form: E['form'] extends TObject ? IncomingForm : undefined;
}

/** A multipart form that nobody has read yet. */
export interface IncomingForm {
  readonly contentType: string;
  readonly stream: Readable;
  /** What `Content-Length` says; 0 where it says nothing. */
  readonly announcedBytes: number;
  /** More than this is not to be read. */
  readonly maxBytes: number;
}

/** An answer: one of the statuses of an operation with the body that goes with it, and headers of its own. */
export function reply<const S extends number, const B>(
  status: S,
  body: B,
  headers: Readonly<Record<string, string>> = {},
): { readonly status: S; readonly body: B; readonly headers: Readonly<Record<string, string>> } {
  return { status, body, headers };
}

/** Does what an operation promises and answers with one of its replies. */
export type Handler<E extends Endpoint, Agent> = (
  call: Call<E, Agent>,
) => Promise<ReplyOf<E> & { readonly headers: Readonly<Record<string, string>> }>;

/** What stands before every operation: who may come in, and how often. */
export interface AccessHooks<Agent> {
  /** The agent of a bearer token; refuses with `unauthorized` or `forbidden`. */
  authenticate(token: string): Promise<Agent>;
  idOf(agent: Agent): string;
  readonly limitAddress: AddressLimit;
  /** Counts a write of an agent; a refusal when it was one too many. */
  limitWrites(agentId: string): Promise<Refusal | undefined>;
  /** True from the moment that the server stops. */
  isClosing(): boolean;
  /** The most that a multipart form may have. */
  readonly formMaxBytes: number;
}

/** Counts a request of an address; a refusal when it was one too many. */
export type AddressLimit = (address: string) => Refusal | undefined | Promise<Refusal | undefined>;

/** Who comes in by a token, and what is read of it. */
export type Authentication<Agent> = Pick<AccessHooks<Agent>, 'authenticate' | 'idOf'>;

/** Mounts operations on a server. */
export interface Mount<Agent> {
  <const E extends Endpoint>(
    operation: E,
    handler: Handler<E, Agent>,
    /** Counts the request before its shape is looked at, for an operation with a limit of its own. */
    limit?: AddressLimit,
  ): void;
  /** The same for operations that read something else of their caller, in the one query that admits it. */
  authenticatedBy<Other>(admittance: Authentication<Other>): Mount<Other>;
}

interface Access<Agent> {
  readonly agent: Agent | undefined;
  /** One request too many: counted at once, told after the checks that come before it (D-20). */
  readonly overLimit: Refusal | undefined;
}

/**
 * Puts the gate before a server and returns the function that mounts operations
 * on it, the only place where routes come from. A request passes the checks of
 * D-20 in their order: address limit, token, method, media type, size, write
 * limit, shape.
 */
export function makeMount<Agent>(
  app: FastifyInstance,
  gate: AccessHooks<Agent>,
  operations: readonly Endpoint[],
): Mount<Agent> {
  app.addHook('onRequest', async (request, answering) => {
    const { operation, checksAccessItself: admitsItself } = request.routeOptions.config;
    if (admitsItself !== true && gate.isClosing()) {
      answering.header('connection', 'close');
      // Liveness and readiness say in their own words how it stands.
      if (operation?.tag !== 'Health') throw unavailable(new Error('The server is stopping.'));
    }
    if (admitsItself !== true && (operation === undefined || isLimitedByAddress(operation))) {
      const refusal = await gate.limitAddress(addressOf(request));
      if (refusal !== undefined) throw refusal;
    }
    const fault = findHeadFault(request.raw);
    if (fault !== undefined) throw fault;
  });
  refuseOtherMethods(app, gate, operations);
  return mountWith(app, gate);
}

function mountWith<Agent>(app: FastifyInstance, gate: AccessHooks<Agent>): Mount<Agent> {
  const admissions = new WeakMap<FastifyRequest, Access<Agent>>();
  const mount: Mount<Agent> = (operation, handler, limit) => {
    const validation = prepareValidation(operation);
    app.route({
      method: operation.method,
      url: toRoutePath(operation.path),
      config: { operation },
      onRequest: async (request) => {
        admissions.set(request, await authenticateRequest(gate, operation, request, limit));
        if (operation.form === undefined) checkBodyHeaders(operation, request);
        else checkFormHeaders(request, gate.formMaxBytes);
      },
      handler: async (request, answering) => {
        const { agent, overLimit } = admissions.get(request) ?? { agent: undefined, overLimit: undefined };
        if (overLimit !== undefined) throw overLimit;
        const form = operation.form === undefined ? undefined : openForm(request, gate.formMaxBytes);
        const parts = validateCall(validation, operation, request);
        const { method, headers } = request;
        const call = { ...parts, agent, address: addressOf(request), method, headers, form };
        const answer = await handler(call as Parameters<typeof handler>[0]);
        return await send(request, answering, answer);
      },
    });
  };
  mount.authenticatedBy = (admittance) => mountWith(app, { ...gate, ...admittance });
  return mount;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function send(request: FastifyRequest, answering: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  answering.code(status).headers(headers);
  if (body === null) return answering.send();
  if (!(body instanceof Readable) || request.method !== 'HEAD') return answering.send(body);
  // The headers say it all; the frame would read the bytes to throw them away.
  body.destroy();
  return answering.send(Readable.from([]));
}

async function authenticateRequest<Agent>(
  gate: AccessHooks<Agent>,
  operation: Endpoint,
  request: FastifyRequest,
  limit?: AddressLimit,
): Promise<Access<Agent>> {
  const header = request.headers.authorization;
  if (operation.auth === 'none' || (operation.auth === 'optional' && header === undefined)) {
    return { agent: undefined, overLimit: await limit?.(addressOf(request)) };
  }
  const agent = await gate.authenticate(readBearer(header));
  request.agentId = gate.idOf(agent);
  const overLimit = countsAsWrite(operation, request.method) ? await gate.limitWrites(request.agentId) : undefined;
  return { agent, overLimit: overLimit ?? (await limit?.(addressOf(request))) };
}

// Typed as text, but nothing when the client has gone away already.
function addressOf(request: FastifyRequest): string {
  return (request.ip as string | undefined) ?? 'gone';
}

/** Takes the token out of an Authorization header; the word before it compares without case. */
export function readBearer(header: string | undefined): string {
  const match = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '');
  if (match?.[1] !== undefined) return match[1];
  throw new Refusal('unauthorized', 'A token is required: send Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function checkBodyHeaders(operation: Endpoint, request: FastifyRequest): void {
  const headers = request.raw.headers;
  if (operation.body === undefined) {
    // A body that comes all the same is not read (D-21), and so is what its
    // headers say of it: the frame would otherwise collect and measure it.
    delete headers['content-type'];
    delete headers['content-length'];
    delete headers['transfer-encoding'];
    return;
  }
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (type === undefined ? hasBody : !isJsonType(type)) throw unsupportedMediaType();
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw unsupportedMediaType();
  if (Number(headers['content-length'] ?? 0) > limits.jsonBodyMaxBytes) throw bodyTooLarge();
}

const formType = /^multipart\/form-data(?:[ \t]*;|[ \t]*$)/i;

function checkFormHeaders(request: FastifyRequest, maxBytes: number): void {
  const headers = request.raw.headers;
  if (!formType.test(headers['content-type'] ?? '')) throw formNeeded();
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') throw formNeeded();
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge('The body', maxBytes);
}

function openForm(request: FastifyRequest, maxBytes: number): IncomingForm {
  const { headers } = request.raw;
  const announcedBytes = Number(headers['content-length'] ?? 0);
  return { contentType: headers['content-type'] ?? '', stream: request.raw, announcedBytes, maxBytes };
}

function validateCall(validation: Validation, operation: Endpoint, request: FastifyRequest) {
  const params = validation.params(request.params as Record<string, string>);
  const at = request.url.indexOf('?');
  const query = validation.query(at === -1 ? '' : request.url.slice(at + 1));
  if (operation.body === undefined) return { params, query, body: undefined };
  if (!(request.body instanceof Uint8Array)) {
    throw new Refusal('invalid_input', 'A JSON body is required. Send at least {}.');
  }
  return { params, query, body: validation.body(parseJsonBody(request.body)) };
}

/** A known path with a method that it does not know: 405, with the ones that it does (D-44). */
function refuseOtherMethods<Agent>(
  app: FastifyInstance,
  gate: AccessHooks<Agent>,
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
        if (needsToken) await authenticateRequest(gate, { ...(here[0] as Endpoint), auth: 'bearer' }, request);
        throw new Refusal('method_not_allowed', `${request.method} is not allowed here. This path supports ${allow}.`, {
          headers: { allow },
        });
      },
      handler: async () => undefined,
    });
  }
}

function toRoutePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route belongs to. */
    operation?: Endpoint;
    /** Whether a route closes and counts by itself, because its refusals are no HTTP. */
    checksAccessItself?: boolean;
  }
}
