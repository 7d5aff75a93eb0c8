import type { ShownExchange } from '../verdict/shown-exchange.ts';

/** A request of the graded program and what became of it. */
export interface TracedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly token: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** 0 where the answer was lost on purpose. */
  status: number;
  answer: string;
  headers: Readonly<Record<string, string>>;
}

/** What happened on the event stream. */
export interface TracedFrame {
  readonly at: number;
  readonly did: 'open' | 'refuse' | 'event' | 'ack' | 'ack of nothing' | 'invalid frame';
  readonly eventId: string;
  readonly url: string;
}

/** All that a program sent in a scenario. */
export interface Trace {
  readonly requests: TracedRequest[];
  readonly frames: TracedFrame[];
}

const shownMaxLength = 2_000;

/** A traced request for the reports; the tokens are those of its scenario, and of no other. */
export function showTraced(request: TracedRequest): ShownExchange {
  const path = `${request.path}${request.query}`;
  const answer = request.status === 0 ? 'The server has done the work; its answer was lost.' : request.answer;
  return {
    ...{ method: request.method, path, token: request.token === undefined ? null : 'TOKEN' },
    ...{
      contentType: request.contentType ?? null,
      body: request.body.slice(0, shownMaxLength),
      status: request.status,
    },
    ...{ answerHeaders: request.headers, answer: answer.slice(0, shownMaxLength) },
    // The server of a scenario ends with it, so no command repeats the exchange.
    curl: '',
  };
}
