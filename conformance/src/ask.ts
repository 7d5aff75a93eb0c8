import type { Budget } from './budget.ts';
import { BudgetFault } from './judge.ts';
import { registerPath } from './registrations.ts';
import type { Asked, Exchange, Wire } from './wire.ts';

/** A request as a check writes it. */
export interface Question {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD';
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the server something, within the budget. */
export type Ask = (question: Question) => Promise<Exchange>;

/** Paces what is asked, and waits once where the server says that it was too much. */
export function askWithin(budget: Budget, wire: Wire): Ask {
  return async (question) => {
    const request = toRequest(question);
    const isRegistration = request.path === registerPath;
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isRegistration) await budget.paceWrite();
    const exchange = await wire.ask(request);
    // A limit of registrations lasts an hour; whoever registers deals with it.
    if (exchange.status !== 429 || isRegistration) return exchange;
    const retryAfter = Number(exchange.headers['retry-after'] ?? 1);
    if (await budget.waitOut(Number.isFinite(retryAfter) ? retryAfter : 1)) {
      const again = await wire.ask(request);
      if (again.status !== 429) return again;
    }
    throw new BudgetFault(`${request.method} ${request.path} was answered 429: the run asked for too much`);
  };
}

function toRequest({ method = 'GET', path, token, json, body, headers }: Question): Asked {
  return {
    method,
    path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ?? (json === undefined ? '' : JSON.stringify(json)),
  };
}
