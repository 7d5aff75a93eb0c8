import type { Budget, Paced } from './budget.ts';
import { BudgetExceeded, codeOf, Skipped } from './expectations.ts';
import type { Exchange, HttpClient, HttpRequest } from './http/http-client.ts';
import { encodeForm, type FormPart } from './http/multipart.ts';
import { filesPath, messagesPath, registerPath, requestsPath } from './paths.ts';

import type { Redaction } from './redaction.ts';

/** A request as a check writes it. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string;
  /** Sent as multipart/form-data. */
  readonly form?: readonly FormPart[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A 429 is what the check wants to see: it is sent whatever the pace. */
  readonly mayBeLimited?: boolean;
}

/** Asks the server something, within the budget. */
export type Send = (question: ApiRequest) => Promise<Exchange>;

/** What asking takes. */
export interface SenderParts {
  readonly budget: Budget;
  readonly http: HttpClient;
  readonly redaction: Redaction;
  /** Whose token it is, for what is counted for each agent by itself. */
  agentIdOf(token: string | undefined): string;
  /** Hears of every answer. */
  note(exchange: Exchange): void;
}

/** Paces what is asked, and waits once where the server says that it was too much. */
export function openSender(parts: SenderParts): Send {
  const { budget, http, redaction, note } = parts;
  const send = async (request: HttpRequest) => {
    const exchange = await http.send(request);
    note(exchange);
    return exchange;
  };
  return async (question) => {
    const request = toRequest(question);
    // Before it goes out: a server may repeat it in whatever it answers.
    redaction.hideAuthorization(request.headers['authorization']);
    await pace(parts, request, question);
    const exchange = await send(request);
    // Temporary unavailability is declared on every endpoint: an overloaded server proves nothing.
    if (exchange.status === 503 && exchange.headers['retry-after'] !== undefined)
      throw new Skipped(`${request.method} ${request.path}: the server was temporarily unavailable (503)`);
    // A limit of registrations lasts an hour; whoever registers deals with it.
    if (exchange.status !== 429 || question.mayBeLimited === true || request.path === registerPath) return exchange;
    const code = codeOf(exchange) ?? '';
    // No waiting makes room for files.
    if (code.startsWith('storage_')) throw new Skipped(`the file quota of the server is used up (${code})`);
    const retryAfter = Number(exchange.headers['retry-after'] ?? 1);
    if (await budget.waitOut(Number.isFinite(retryAfter) ? retryAfter : 1)) {
      const again = await send(request);
      if (again.status !== 429) return again;
    }
    throw new BudgetExceeded(`${request.method} ${request.path} was answered 429: the run exceeded a limit`);
  };
}

async function pace(
  { budget, agentIdOf }: SenderParts,
  { method, path }: HttpRequest,
  question: ApiRequest,
): Promise<void> {
  const take = async (kind: Paced, agent?: string) =>
    question.mayBeLimited === true ? budget.count(kind, agent) : await budget.pace(kind, agent);
  await take('requests');
  if (method === 'GET' || method === 'HEAD' || path === registerPath) return;
  await take('writes', agentIdOf(question.token));
  if (method !== 'POST') return;
  // Whether these are counted for one agent or for one address is not stated: together is safe.
  if (path === requestsPath) await take('contactRequests');
  if (path === messagesPath) await take('messages');
  if (path === filesPath) budget.spent.uploads += 1;
}

function toRequest({ method = 'GET', path, token, json, body, form, headers }: ApiRequest): HttpRequest {
  const encoded = form === undefined ? undefined : encodeForm(form);
  return {
    method,
    path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(encoded === undefined ? {} : { 'content-type': encoded.type }),
      ...headers,
    },
    body: body ?? encoded?.description ?? (json === undefined ? '' : JSON.stringify(json)),
    ...(encoded === undefined ? {} : { bytes: encoded.bytes, form }),
  };
}
