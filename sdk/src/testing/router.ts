import { isJsonContentType, limits } from '@agent-platform/contract';
import { InvalidRequestError } from '@agent-platform/contract/validation';
import type { Faults } from './faults.ts';
import type { AnyReply, FormPart, MountedOperation, OperationTable } from './operation-table.ts';
import { FakeRefusal } from './refusal.ts';
import type { FakeAgent, FakeDatabase } from './world.ts';

/** A request that the fake platform has answered. */
export interface SeenRequest {
  /** The OpenAPI operation id; null for a path outside the API. */
  readonly operationId: string | null;
  /** The handle of the caller; null without a valid token. */
  readonly handle: string | null;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly status: number;
  /** The error code of a refusal; otherwise null. */
  readonly code: string | null;
}

interface Route extends MountedOperation {
  readonly pattern: RegExp;
}

interface RouterDependencies {
  readonly world: FakeDatabase;
  readonly table: OperationTable;
  readonly faults: Faults;
  /** The path of the base URL, which precedes every path of the API. */
  readonly prefix: string;
}

/** Runs the checks of §8.11 in that sequence, then the operation. */
export class Router {
  /** Oldest first. */
  readonly seen: SeenRequest[] = [];
  readonly #parts: RouterDependencies;
  readonly #routes: readonly Route[];

  constructor(parts: RouterDependencies) {
    this.#parts = parts;
    const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const routes = parts.table.all.map((mounted) => ({ ...mounted, pattern: toPattern(mounted.operation.path) }));
    // A path without parameters takes precedence over one with parameters (§1.11).
    this.#routes = routes.toSorted((one, other) => countParams(one) - countParams(other));
  }

  async answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const path = pathname.startsWith(this.#parts.prefix) ? pathname.slice(this.#parts.prefix.length) : '';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const here = this.#findRoutes(path);
    const route = here.find(({ operation }) => operation.method === method);
    const fault = route === undefined ? undefined : this.#parts.faults.take(route.operation.id);
    if (fault?.kind === 'lost-request') throw networkError('ECONNREFUSED', 'the connection was refused');
    const exchange: { handle: string | null } = { handle: null };
    const reply = await this.#reply(async () => {
      if (fault?.kind === 'refused') throw new FakeRefusal(fault.code, fault.code, fault.retryAfterSeconds);
      if (route === undefined) throw this.#refuseMethod(here, request);
      return await this.#execute(route, request, path, search.slice(1), exchange);
    });
    this.seen.push({
      operationId: route?.operation.id ?? null,
      handle: exchange.handle,
      method: request.method,
      path: `${path}${search}`,
      status: reply.status,
      code: reply.code,
    });
    if (fault?.kind === 'lost-answer') throw networkError('ECONNRESET', 'the connection was closed');
    const headers = { ...reply.headers, 'request-id': this.#parts.world.newId() };
    return new Response(request.method === 'HEAD' ? null : reply.body, { status: reply.status, headers });
  }

  // Returns the routes that match a path, one per method.
  #findRoutes(path: string): readonly Route[] {
    const first = this.#routes.find(({ pattern }) => pattern.test(path));
    return this.#routes.filter(({ operation }) => operation.path === first?.operation.path);
  }

  async #reply(work: () => Promise<AnyReply>) {
    try {
      const { status, body, file } = await work();
      if (file !== undefined) return { status, headers: { ...file.headers }, body: copyOf(file.bytes), code: null };
      return { status, headers: jsonHeaders, body: JSON.stringify(body), code: null };
    } catch (error) {
      const refusal = error instanceof InvalidRequestError ? new FakeRefusal(error.code, error.message) : error;
      if (!(refusal instanceof FakeRefusal)) throw error;
      const { code, message, status, retryAfterSeconds } = refusal;
      const details = error instanceof InvalidRequestError && error.details ? { details: error.details } : {};
      const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      const body = JSON.stringify({ error: { code, message, ...details } });
      return { status, headers: { ...jsonHeaders, ...retryAfter }, body, code };
    }
  }

  #refuseMethod(here: readonly Route[], request: Request): FakeRefusal {
    if (here.length === 0) return new FakeRefusal('not_found', 'This path does not exist.');
    if (here.every(({ operation }) => operation.auth === 'bearer')) this.#authenticate(readBearer(request));
    return new FakeRefusal('method_not_allowed', `${request.method} is not allowed here.`);
  }

  #authenticate(token: string | undefined): FakeAgent {
    if (token === undefined) throw new FakeRefusal('unauthorized', 'A token is required.');
    return this.#parts.world.authenticate(token);
  }

  async #execute(route: Route, request: Request, path: string, search: string, exchange: { handle: string | null }) {
    const { operation, validation, handle, pattern } = route;
    const token = readBearer(request);
    const isAnonymous =
      operation.auth === 'none' || (operation.auth === 'optional' && !request.headers.has('authorization'));
    const caller = isAnonymous ? undefined : this.#authenticate(token);
    exchange.handle = caller?.handle ?? null;
    const body = operation.body === undefined ? undefined : await readJsonBody(request);
    const form = operation.form === undefined ? [] : await readForm(request);
    const values = Object.entries(pattern.exec(path)?.groups ?? {});
    const params = validation.params(Object.fromEntries(values.map(([name, value]) => [name, decode(value)])));
    const parts = { params, query: validation.query(search), body: body && validation.body(body), caller, token, form };
    return handle({ ...parts, token: token ?? '' } as Parameters<typeof handle>[0]);
  }
}

const jsonHeaders: Readonly<Record<string, string>> = { 'content-type': 'application/json; charset=utf-8' };

function countParams({ operation }: MountedOperation): number {
  return operation.path.split('{').length;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function readBearer(request: Request): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

async function readJsonBody(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type');
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (type === null ? bytes.length > 0 : !isJsonContentType(type)) {
    throw new FakeRefusal('unsupported_media_type', 'The body must be JSON.');
  }
  if (bytes.length > limits.jsonBodyMaxBytes) throw new FakeRefusal('body_too_large', 'The body is too large.');
  if (bytes.length === 0) throw new FakeRefusal('invalid_input', 'A JSON body is required.');
  return bytes;
}

async function readForm(request: Request): Promise<readonly FormPart[]> {
  if (!/^multipart\/form-data(?:[ \t]*;|[ \t]*$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new FakeRefusal('unsupported_media_type', 'The body must be a form.');
  }
  const form = await request.formData().catch(() => {
    throw new FakeRefusal('invalid_input', 'The body is not a complete multipart form.');
  });
  return await Promise.all(
    [...form].map(async ([name, value]): Promise<FormPart> => {
      if (typeof value === 'string') return [name, value];
      return [name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }];
    }),
  );
}

// As in undici's errors, the cause describes the failure.
function networkError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}
