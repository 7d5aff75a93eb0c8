import type { BodyOf, ClientEndpoint, Endpoint, ParamsOf, QueryOf, ResultOf } from '@agent-platform/contract/client';
import { isBearerToken } from '../credential.ts';
import { ConfigurationError, CredentialError } from '../errors.ts';
import { waitForLimit } from '../handler-pool.ts';
import { isRecord } from '../json.ts';
import { checkOptions } from '../known-options.ts';
import { type AttemptSpan, startAttemptSpan } from '../open-telemetry.ts';
import type { ApiResult } from './api-promise.ts';
import { type CallOptions, callOptionKinds, resolveCallLimits, type TransportSettings } from './call-options.ts';
import { callHook, describeAttempt, redactHeaders } from './hooks.ts';
import { getRequestId, makeReplyCheck, parseResponse, type ResponseCheck } from './parse-response.ts';
import type { ReadableBody } from './read-body.ts';
import { makeRequestHeaders } from './request-headers.ts';
import { decideRetry, mayHaveHadEffect } from './retry.ts';
import { type OutgoingRequest, sendRequest } from './send-request.ts';
import { rejectWhenAborted } from './sleep.ts';
import { TokenRedactor } from './token-redactor.ts';
import { toOutcomeUnknownError } from './unknown-outcome.ts';
import { buildUrl } from './urls.ts';

type Part<Name extends string, Value> = [keyof Value] extends [never]
  ? { readonly [N in Name]?: undefined }
  : Record<never, never> extends Value
    ? { readonly [N in Name]?: Value | undefined }
    : { readonly [N in Name]: Value };

// Optional query members may also be undefined, which means the same as omitting them.
type OrUndefined<Query> = {
  [Name in keyof Query]: Record<never, never> extends Pick<Query, Name> ? Query[Name] | undefined : Query[Name];
};

/** The maximum number of token replacements in one call: several processes may rotate the token one after another. */
const replacementsMax = 8;

/** The input of an operation: exactly the parts that the contract declares. */
export type InputOf<E extends Endpoint> = Part<'params', ParamsOf<E>> &
  Part<'query', OrUndefined<QueryOf<E>>> &
  (E['body'] extends object ? { readonly body: BodyOf<E> } : { readonly body?: undefined }) &
  (E['form'] extends object ? { readonly form: FormBody } : { readonly form?: undefined });

export interface TokenSource {
  /** @throws CredentialError if there is no credential, or if it is for another origin */
  token(): Promise<string>;
  /** Returns the token that has replaced the refused one; undefined if there is none. */
  replacementFor(refused: string): Promise<string | undefined>;
}

/** A form that can be sent more than once. */
export interface FormBody {
  readonly contentType: string;
  open(): ReadableStream<Uint8Array>;
}

/** Internal options of a call. */
interface CallDetails {
  /** Default: the client's credential. */
  readonly bearer?: TokenSource;
  /** The check of a success response. Default: the operation's reply in the contract. */
  readonly accepts?: ResponseCheck;
  /** Whether the body of a success response is left unread. */
  readonly leavesBody?: boolean;
  /** Called for each failed attempt that may have taken effect. */
  readonly onUnclear?: () => void;
}

export interface OperationInput {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly form?: FormBody | undefined;
}

interface Call extends Required<Omit<CallDetails, 'leavesBody'>> {
  readonly operation: ClientEndpoint;
  readonly request: Omit<OutgoingRequest, 'headers' | 'hide'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxRetries: number;
}

type Attempt =
  | ReturnType<typeof parseResponse>
  | Exclude<Awaited<ReturnType<typeof sendRequest>>, { readonly kind: 'response' }>;

type Failed = Exclude<Attempt, { readonly kind: 'data' }>;

/**
 * Sends all requests to the server, and handles what all calls have in common: the token and its origin, time limits,
 * parsing, retries, hooks.
 */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #bearer: TokenSource;
  readonly #tokens = new TokenRedactor();

  constructor(settings: TransportSettings, bearer: TokenSource) {
    this.#settings = settings;
    this.#bearer = bearer;
  }

  async call<E extends Endpoint>(
    operation: E,
    input: InputOf<E>,
    options?: CallOptions,
    details?: CallDetails,
  ): Promise<ApiResult<ResultOf<E>>> {
    // Only the required members of the response are checked; the rest of its type is assumed.
    return (await this.send(operation, input, options, details)) as ApiResult<ResultOf<E>>;
  }

  /**
   * Like `call`, for responses with texts of other agents: `Result` marks them as `Untrusted`, which exists only as a
   * type.
   */
  async callUntrusted<E extends Endpoint, Result>(
    operation: E,
    input: InputOf<E>,
    options?: CallOptions,
  ): Promise<ApiResult<Result>> {
    return (await this.send(operation, input, options)) as ApiResult<Result>;
  }

  /** Like `call`, for an operation that responds with a file. The content is not read. */
  async open<E extends Endpoint>(
    operation: E,
    input: InputOf<E>,
    options: CallOptions = {},
  ): Promise<ApiResult<{ readonly body: ReadableBody; readonly stallMs: number }>> {
    const { data, response } = await this.send(operation, input, options, { leavesBody: true });
    const { timeoutMs } = resolveCallLimits(this.#settings, options);
    // With `leavesBody`, `data` is the body of the `fetch` response.
    return { data: { body: data as ReadableBody, stallMs: timeoutMs }, response };
  }

  /** Waits with the timer that is also used between attempts. */
  async pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#settings.sleep(milliseconds, signal);
  }

  /** Calls an operation that is only known at run time. */
  async send(
    operation: ClientEndpoint,
    { params, query, body, form }: OperationInput,
    options: CallOptions = {},
    details: CallDetails = {},
  ): Promise<ApiResult<unknown>> {
    checkOptions('A call', options, callOptionKinds);
    const { timeoutMs, maxRetries } = resolveCallLimits(this.#settings, options);
    return await this.#run({
      operation,
      request: {
        method: operation.method,
        origin: this.#settings.baseUrl.origin,
        url: buildUrl(this.#settings.baseUrl, operation, params, query),
        body: form?.open ?? (body === undefined ? null : toJson(body)),
        leavesBody: details.leavesBody ?? false,
        timeoutMs,
        signal: options.signal,
      },
      headers: makeRequestHeaders(
        form?.contentType ?? (body === undefined ? null : 'application/json'),
        options.headers,
      ),
      maxRetries,
      accepts: details.accepts ?? makeReplyCheck(operation),
      bearer: details.bearer ?? this.#bearer,
      onUnclear: details.onUnclear ?? (() => undefined),
    });
  }

  async #run(call: Call): Promise<ApiResult<unknown>> {
    const { operation, request } = call;
    const { sleep, random, hooks } = this.#settings;
    let token = await this.#tokenFor(call);
    let replacements = 0;
    let retries = 0;
    let waitLeftMs = this.#settings.maxRetryWaitMs;
    for (let number = 1; ; number += 1) {
      const result = await this.#attempt(call, token, number);
      if (result.kind === 'data') return { data: result.data, response: result.response };
      if (mayHaveHadEffect(result)) call.onUnclear();
      let waitMs = 0;
      const replacement = replacements < replacementsMax ? await this.#replacementOf(call, token, result) : undefined;
      if (replacement !== undefined) {
        // A request that gets a 401 has had no effect, so a retry with the new token is safe even for operations that
        // must not be repeated.
        token = replacement;
        replacements += 1;
      } else {
        const budget = { retries, maxRetries: call.maxRetries, waitLeftMs };
        const decision = decideRetry(operation.repeat, result, budget, random());
        if (decision.action === 'fail') throw result.error;
        if (decision.action === 'fail-unknown') throw toOutcomeUnknownError(operation.id, result.error);
        retries += 1;
        waitMs = decision.waitMs;
        waitLeftMs -= waitMs;
      }
      callHook(hooks.onRetry, { ...describeAttempt(operation, request.url, number), error: result.error, waitMs });
      const wait = () => sleep(waitMs, request.signal);
      const isLimited = result.kind === 'refused' && result.error.status === 429;
      if (waitMs > 0) await (isLimited ? waitForLimit(wait) : wait());
    }
  }

  async #attempt(call: Call, token: string | undefined, number: number): Promise<Attempt> {
    const { hooks, now, baseUrl } = this.#settings;
    const { operation, request, accepts } = call;
    const { hide } = this.#tokens;
    const headers: Record<string, string> = { ...call.headers };
    if (token !== undefined) {
      this.#tokens.add(token);
      headers['authorization'] = `Bearer ${token}`;
    }
    const info = describeAttempt(operation, request.url, number);
    request.signal?.throwIfAborted();
    const { id: operationId, method, path } = operation;
    const span = startAttemptSpan({ operationId, method, path, host: baseUrl.hostname, attempt: number });
    if (span?.traceparent !== undefined) headers['traceparent'] ??= span.traceparent;
    if (hooks.onRequest) callHook(hooks.onRequest, { ...info, headers: redactHeaders(new Headers(headers), hide) });
    const startedMs = now();
    const exchange = await traced(span, () => sendRequest(this.#settings, { ...request, headers, hide }));
    if (exchange.kind !== 'response') return exchange;
    const { response } = exchange;
    const endedMs = now();
    const reading = parseResponse(operation, response, { accepts, nowMs: endedMs, hide });
    // A newly issued token must be registered as a secret before any hook is called.
    if (reading.kind === 'data') this.#learnTokenOf(reading.data);
    if (hooks.onResponse) {
      callHook(hooks.onResponse, {
        ...info,
        status: response.status,
        headers: redactHeaders(response.headers.all, hide),
        requestId: getRequestId(response.headers, hide),
        durationMs: endedMs - startedMs,
      });
    }
    return reading;
  }

  #learnTokenOf(data: unknown): void {
    if (isRecord(data) && isBearerToken(data['token'])) this.#tokens.add(data['token']);
  }

  async #tokenFor(call: Call): Promise<string | undefined> {
    const { auth } = call.operation;
    if (auth === 'none') return undefined;
    try {
      return await call.bearer.token();
    } catch (error) {
      const isAnonymous = error instanceof CredentialError && error.code === 'no_credential';
      if (auth === 'optional' && isAnonymous) return undefined;
      throw error;
    }
  }

  async #replacementOf(call: Call, token: string | undefined, result: Failed): Promise<string | undefined> {
    if (token === undefined || result.kind !== 'refused' || result.error.status !== 401) return undefined;
    return rejectWhenAborted(call.bearer.replacementFor(token), call.request.signal);
  }
}

type Exchange = Awaited<ReturnType<typeof sendRequest>>;

async function traced(span: AttemptSpan | undefined, send: () => Promise<Exchange>): Promise<Exchange> {
  if (span === undefined) return await send();
  let status: number | undefined;
  try {
    const exchange = await span.run(send);
    status = exchange.kind === 'response' ? exchange.response.status : undefined;
    return exchange;
  } finally {
    span.end(status);
  }
}

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new ConfigurationError(
      `The arguments cannot be sent as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}
