import type { Pace } from './budget/budget.ts';
import { Inconclusive, Violation } from './expectations.ts';
import { type Exchange, type HttpRequest, NoAnswer } from './http/http-client.ts';
import { requirementOfOperation } from './http/operations.ts';
import { mePath, quotePath } from './paths.ts';

// Between the attempts of a request that a busy server did not answer.
const pausesMs = [250, 1_000, 3_000];
const pauseMaxMs = 30_000;
/** So long a server may be busy without another answer; after that, requests are not repeated. */
const busyMaxMs = 60_000;
/** So many requests in succession without an answer, and the rest of the run is not sent. */
const silentMax = 5;

// Declared on every endpoint, and stated to mean that the server was busy, or the request too slow for it.
const busyAnswers: Readonly<Record<number, string>> = {
  408: 'the request took too long to arrive (408)',
  503: 'the server was temporarily unavailable (503)',
};

/** How long a run waits for its server. */
export type Patience = ReturnType<typeof openPatience>;

/** Opens the patience of a run of so many minutes, which begins now. */
export function openPatience({ minutes, now, sleep }: Pace & { readonly minutes: number }) {
  const endsAt = now() + minutes * 60_000;
  let silent = 0;
  let busyMs = 0;
  const refuse = (request: HttpRequest) => {
    if (now() > endsAt)
      throw new Inconclusive(`the run has taken its ${minutes} minutes (--max-minutes)`, withoutAnswer(request));
    if (silent >= silentMax)
      throw new Inconclusive(`the server did not answer ${silent} requests in succession`, withoutAnswer(request));
  };
  const attempt = async (request: HttpRequest, send: (request: HttpRequest) => Promise<Exchange>) => {
    refuse(request);
    try {
      const exchange = await send(request);
      silent = 0;
      return { exchange, why: busyAnswers[exchange.status] };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.isMalformed) {
        // No sentence is about HTTP itself: the operation has not returned what it must.
        const requirement = requirementOfOperation(request);
        throw new Violation(error.message, withoutAnswer(request), {
          requirement,
          symptom: 'an answer that is no HTTP',
        });
      }
      silent += 1;
      return { exchange: withoutAnswer(request), why: error.message, isLast: error.isTimeout };
    }
  };
  return {
    /** Throws when the run is over, or the server gone. */
    refuse,
    /** Sends a request, again where the server was busy and repeating is safe; otherwise nothing is concluded. */
    send: async (request: HttpRequest, send: (request: HttpRequest) => Promise<Exchange>): Promise<Exchange> => {
      for (const pauseMs of [...pausesMs, undefined]) {
        const { exchange, why, isLast } = await attempt(request, send);
        if (why === undefined) {
          busyMs = 0;
          return exchange;
        }
        const { method, path } = request;
        // A second request of these has the same effect and the same answer.
        const isReading = method === 'GET' || method === 'HEAD' || path === quotePath;
        const isRepeatable = isReading || (method === 'PATCH' && path === mePath);
        if (pauseMs === undefined || isLast === true || busyMs >= busyMaxMs || !isRepeatable)
          throw new Inconclusive(`${method} ${path}: ${why}`, exchange);
        const retryAfterMs = Number(exchange.headers['retry-after']) * 1_000;
        const waitMs = Math.min(pauseMaxMs, Number.isFinite(retryAfterMs) ? retryAfterMs : pauseMs);
        busyMs += waitMs;
        await sleep(waitMs);
      }
      throw new Error('The last attempt ends the loop.');
    },
  };
}

/** What is known of a request that got no answer. */
export function withoutAnswer(request: HttpRequest): Exchange {
  return { request, status: 0, headers: {}, text: '', bytes: Buffer.alloc(0), json: undefined };
}
