import type { Random } from '../world/random.ts';
import type { Budget, LimitedRequestKind } from './budget/budget.ts';
import { BudgetExceededError, errorCodeOf, InconclusiveError, SkippedError } from './expectations.ts';
import type { Exchange, HttpClient, HttpRequest } from './http/http-client.ts';
import { encodeForm, type FormPart } from './http/multipart.ts';
import { filesPath, messagesPath, registerPath, requestsPath } from './paths.ts';
import type { Redaction } from './redaction.ts';
import { type RetryPolicy, readRetryAfter } from './retry-policy.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';
  readonly path: string;
  readonly token?: string;
  readonly json?: unknown;
  /** A body to send unchanged. */
  readonly body?: string | Uint8Array;
  readonly form?: readonly FormPart[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to send the request without pacing, because the check expects a 429. */
  readonly mayBeLimited?: boolean;
}

/** Sends a request within the budget. */
export type RequestSender = (request: ApiRequest) => Promise<Exchange>;

export interface SendDependencies {
  readonly budget: Budget;
  readonly retryPolicy: RetryPolicy;
  readonly redaction: Redaction;
  /** Throws if the run must not send a request. */
  refuse(request: HttpRequest): void;
  /** Called with every exchange, including handshakes. */
  note(exchange: Exchange): void;
}

interface SenderDependencies extends SendDependencies {
  readonly random: Random;
  readonly http: HttpClient;
  /** The id of the agent with this token, for limits per agent. */
  agentIdOf(token: string | undefined): string;
}

/** Returns a function that sends requests at the permitted pace, and retries once after an unexpected 429. */
export function openSender(parts: SenderDependencies): RequestSender {
  const { budget, http, retryPolicy, redaction, note } = parts;
  const send = (request: HttpRequest) =>
    retryPolicy.send(request, async (attempt) => {
      const exchange = await http.send(attempt);
      note(exchange);
      return exchange;
    });
  return async (apiRequest) => {
    const request = toRequest(apiRequest, parts.random);
    parts.refuse(request);
    // The token must be registered as a secret before the request is sent, because any answer may contain it.
    redaction.hideAuthorization(request.headers['authorization']);
    await pace(parts, request, apiRequest);
    const exchange = await send(request);
    // Waiting is useless for registrations, whose limit applies to an hour; the registrar handles their 429.
    if (exchange.status !== 429 || apiRequest.mayBeLimited === true || request.path === registerPath) return exchange;
    const code = errorCodeOf(exchange) ?? '';
    // Waiting does not free any file quota.
    if (code.startsWith('storage_')) throw new SkippedError(`the file quota of the server is used up (${code})`);
    if (await budget.waitOut(readRetryAfter(exchange) ?? 1)) {
      const second = await send(request);
      // The first refusal may have made the upload_id unusable, so this is not a violation.
      if (request.path === filesPath && errorCodeOf(second) === 'upload_unavailable')
        throw new InconclusiveError('the server was busy with other files and then refused the upload_id', second);
      if (second.status !== 429) return second;
    }
    throw new BudgetExceededError(`${request.method} ${request.path} was answered with 429: the run exceeded a limit`);
  };
}

async function pace(
  { budget, agentIdOf }: SenderDependencies,
  { method, path }: HttpRequest,
  { token, mayBeLimited }: ApiRequest,
): Promise<void> {
  const take = async (kind: LimitedRequestKind, agent?: string) =>
    mayBeLimited === true ? budget.count(kind, agent) : await budget.pace(kind, agent);
  await take('requests');
  if (method === 'GET' || method === 'HEAD' || path === registerPath) return;
  await take('writes', agentIdOf(token));
  if (method !== 'POST') return;
  // All agents are counted together, because a server may apply these limits per address instead of per agent.
  if (path === requestsPath) await take('contactRequests');
  if (path === messagesPath) await take('messages');
  if (path === filesPath) budget.spent.uploads += 1;
}

function toRequest(apiRequest: ApiRequest, random: Random): HttpRequest {
  const { method = 'GET', path, token, json, body, form, headers } = apiRequest;
  const encoded = form === undefined ? undefined : encodeForm(form, `form-${random.uuid()}`);
  return {
    method,
    path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(encoded === undefined ? {} : { 'content-type': encoded.type }),
      ...headers,
    },
    body:
      typeof body === 'object' ? Buffer.from(body).toString('latin1') : (body ?? encoded?.description ?? jsonOf(json)),
    ...(typeof body === 'object' ? { bytes: body } : {}),
    ...(encoded === undefined ? {} : { bytes: encoded.bytes, form }),
  };
}

function jsonOf(json: unknown): string {
  return json === undefined ? '' : JSON.stringify(json);
}
