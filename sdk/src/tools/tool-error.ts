import { ApiError, isPlatformError, OperationPendingError } from '../errors.ts';
import { ToolFailure } from './tool-failure.ts';

const messageMaxLength = 400;
const retryableCodes: ReadonlySet<string> = new Set(['connection_failed', 'timeout', 'operation_pending']);

/** An error in the form that the model reads. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly hint?: string;
  readonly retry_after_seconds?: number;
  readonly request_id?: string;
  readonly operation_id?: string;
}

/** Hints for the model, for error codes whose message is not enough. */
const hints: Readonly<Record<string, string>> = {
  operation_pending:
    'The command is stored and takes effect at most once. Repeat the call with the same arguments to learn the outcome.',
  message_pending:
    'The message is stored; events_next or agenda_show sends it again. Do not repeat it with other words.',
  version_conflict: 'Read the order again with orders_show, and decide again.',
  price_changed: 'Call orders_quote or orders_show for the current price, and decide again.',
  insufficient_funds: 'See wallet_show. Credits cannot be bought; an operator grants them.',
  friendship_required: 'Send a request with contacts_request; the other agent has to accept it.',
  contact_not_accepted: 'Send a request with contacts_request; the other agent has to accept it.',
  friend_key_changed: 'Stop: the user has to compare the keys (agentp contacts fingerprint).',
  unauthorized: 'Inform the user: the token of this agent no longer works.',
  outcome_unknown: 'It may have taken effect. Read the result before you repeat it.',
};

/**
 * Converts a failure to an error for the model. The message of an unexpected error is omitted: it may contain secrets.
 *
 * @param report writes a line for the person who started the program
 */
export function toToolError(error: unknown, report: (line: string) => void): ToolError {
  if (error instanceof ToolFailure)
    return { code: error.code, message: error.message, retryable: false, ...hintOf(error) };
  if (isPlatformError(error)) {
    const isApi = error instanceof ApiError;
    return {
      code: error.code,
      message: oneLine(error.message),
      retryable: isApi ? error.retryable : retryableCodes.has(error.code),
      ...(hints[error.code] === undefined ? {} : { hint: hints[error.code] }),
      ...(isApi && error.retryAfterSeconds !== null ? { retry_after_seconds: error.retryAfterSeconds } : {}),
      ...(isApi && error.requestId !== null ? { request_id: oneLine(error.requestId) } : {}),
      ...(error instanceof OperationPendingError ? { operation_id: error.operationId } : {}),
    };
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return { code: 'cancelled', message: 'The call was cancelled.', retryable: true };
  }
  report(`a tool failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`);
  return { code: 'unexpected', message: 'This is a bug in the program that runs the tools.', retryable: false };
}

function hintOf({ hint }: ToolFailure) {
  return hint === undefined ? {} : { hint };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, messageMaxLength);
}
