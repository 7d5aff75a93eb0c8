import type { BudgetClock } from './budget/budget.ts';
import { InconclusiveError, Violation } from './expectations.ts';
import { type Exchange, type HttpRequest, NoAnswerError } from './http/http-client.ts';
import { requirementOfOperation } from './http/operations.ts';
import { mePath, quotePath } from './paths.ts';

// The delays between attempts while the server is busy.
const pausesMs = [250, 1_000, 3_000];
const pauseMaxMs = 30_000;
/** After the run has waited this long for a busy server, requests are no longer repeated. */
const busyMaxMs = 60_000;
/** After this many consecutive requests without an answer, the run stops sending requests. */
const silentMax = 5;

// Statuses that any operation may return because the server is busy or the request arrived too slowly.
const busyAnswers: Readonly<Record<number, string>> = {
  408: 'the request took too long to arrive (408)',
  503: 'the server was temporarily unavailable (503)',
};

export type RetryPolicy = ReturnType<typeof openRetryPolicy>;

/** Makes the retry policy of a run that starts now and may take this many minutes. */
export function openRetryPolicy({ minutes, now, sleep }: BudgetClock & { readonly minutes: number }) {
  const endsAt = now() + minutes * 60_000;
  let silent = 0;
  let busyMs = 0;
  const refuse = (request: HttpRequest) => {
    if (now() > endsAt)
      throw new InconclusiveError(
        `the run reached its limit of ${minutes} minutes (--max-minutes)`,
        unansweredExchange(request),
      );
    if (silent >= silentMax)
      throw new InconclusiveError(
        `the server did not answer ${silent} requests in succession`,
        unansweredExchange(request),
      );
  };
  const attempt = async (request: HttpRequest, send: (request: HttpRequest) => Promise<Exchange>) => {
    refuse(request);
    try {
      const exchange = await send(request);
      silent = 0;
      return { exchange, why: busyAnswers[exchange.status] };
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      if (error.isMalformed) {
        // No requirement covers HTTP itself, so the requirement of the operation is violated.
        const requirement = requirementOfOperation(request);
        throw new Violation(error.message, unansweredExchange(request), {
          requirement,
          symptom: 'an answer that is not HTTP',
        });
      }
      silent += 1;
      return { exchange: unansweredExchange(request), why: error.message, isLast: error.isTimeout };
    }
  };
  return {
    /** Throws if the run is over or the server is unreachable. */
    refuse,
    /** While the server is busy, repeats safe requests; others, and the last attempt, are inconclusive. */
    send: async (request: HttpRequest, send: (request: HttpRequest) => Promise<Exchange>): Promise<Exchange> => {
      for (const pauseMs of [...pausesMs, undefined]) {
        const { exchange, why, isLast } = await attempt(request, send);
        if (why === undefined) {
          busyMs = 0;
          return exchange;
        }
        const { method, path } = request;
        // Only these requests have the same effect and the same answer when they are sent twice.
        const isReading = method === 'GET' || method === 'HEAD' || path === quotePath;
        const isRepeatable = isReading || (method === 'PATCH' && path === mePath);
        if (pauseMs === undefined || isLast === true || busyMs >= busyMaxMs || !isRepeatable)
          throw new InconclusiveError(`${method} ${path}: ${why}`, exchange);
        const waitMs = Math.min(pauseMaxMs, (readRetryAfter(exchange) ?? pauseMs / 1_000) * 1_000);
        busyMs += waitMs;
        await sleep(waitMs);
      }
      throw new Error('The loop must end with the last attempt.');
    },
  };
}

/** The seconds of a Retry-After header, which may also be a date; undefined if there is no valid one. */
export function readRetryAfter({ headers }: Exchange): number | undefined {
  const { 'retry-after': value = '', date = '' } = headers;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.parse(date)) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The exchange that reports use for a request without an answer. */
export function unansweredExchange(request: HttpRequest): Exchange {
  return { request, status: 0, headers: {}, text: '', bytes: Buffer.alloc(0), json: undefined };
}
