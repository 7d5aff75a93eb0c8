import { InconclusiveError, Violation } from '../context/expectations.ts';
import { type Exchange, NoAnswerError } from '../context/http/http-client.ts';
import { unansweredExchange } from '../context/retry-policy.ts';
import type { RunSession } from '../context/run.ts';
import { formatCurlCommand } from './curl.ts';

/** A request and its answer as shown in reports, without secrets. */
export interface ShownExchange {
  readonly method: string;
  readonly path: string;
  /** The name of the shell variable for the token; null if none was sent. */
  readonly token: string | null;
  readonly contentType: string | null;
  readonly body: string;
  /** The status of the answer; 0 if there was none. */
  readonly status: number;
  /** The headers that checks examine. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly answer: string;
  /** The shell command that repeats the request; empty for the requests of a graded client. */
  readonly curl: string;
}

const shownMaxLength = 2_000;
// Longer than the shown text: cutting a text before its secrets are removed could split one of them.
const readMaxLength = 16_000;

const shownHeaders = ['content-type', 'allow', 'location', 'retry-after', 'request-id', 'content-length', 'etag'];

/** Removes secrets and shortens long texts. */
export function toShownExchange(
  exchange: Exchange,
  { redaction, tokens }: Pick<RunSession, 'redaction' | 'tokens'>,
): ShownExchange {
  const { request } = exchange;
  const clean = (text: string) => redaction.apply(text.slice(0, readMaxLength));
  const shorten = (text: string) => {
    const shown = clean(text);
    return text.length > shownMaxLength ? `${shown.slice(0, shownMaxLength)}… (${text.length} characters)` : shown;
  };
  const headers = shownHeaders.flatMap((name) => {
    const value = exchange.headers[name];
    return typeof value === 'string' ? [[name, shorten(value)] as const] : [];
  });
  const token = tokens.variableOf(request.headers['authorization']);
  const type = exchange.headers['content-type'] ?? '';
  const isFile = /^(image|application\/pdf|application\/octet-stream)/i.test(type);
  return {
    method: request.method,
    path: shorten(request.path),
    token: token ?? null,
    contentType: request.headers['content-type'] ?? null,
    body: shorten(request.body),
    status: exchange.status,
    answerHeaders: Object.fromEntries(headers),
    answer: isFile ? `(${exchange.bytes.length} bytes of ${type})` : shorten(exchange.text),
    curl: formatCurlCommand(request, token, clean),
  };
}

export function exchangeOf(error: unknown): Exchange | undefined {
  if (error instanceof Violation || error instanceof InconclusiveError) return error.exchange;
  return error instanceof NoAnswerError ? unansweredExchange(error.request) : undefined;
}
