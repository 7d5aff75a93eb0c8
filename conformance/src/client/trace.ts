import type { ShownExchange } from '../verdict/shown-exchange.ts';

export interface TracedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly token: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** The status of the answer; 0 if it was dropped on purpose. */
  status: number;
  answer: string;
  headers: Readonly<Record<string, string>>;
}

export interface TracedFrame {
  readonly at: number;
  readonly did: 'open' | 'refuse' | 'event' | 'ack' | 'ack of nothing' | 'invalid frame';
  readonly eventId: string;
  readonly url: string;
}

export interface Trace {
  readonly requests: TracedRequest[];
  readonly frames: TracedFrame[];
}

const shownMaxLength = 2_000;

/** Tokens are not removed, because they are valid only in the scenario. */
export function formatTracedRequest(request: TracedRequest): ShownExchange {
  const path = `${request.path}${request.query}`;
  const answer = request.status === 0 ? 'The server has done the work; its answer was lost.' : request.answer;
  return {
    method: request.method,
    path,
    token: request.token === undefined ? null : 'TOKEN',
    contentType: request.contentType ?? null,
    body: request.body.slice(0, shownMaxLength),
    status: request.status,
    answerHeaders: request.headers,
    answer: answer.slice(0, shownMaxLength),
    // Empty, because the server of a scenario stops when the scenario ends.
    curl: '',
  };
}
