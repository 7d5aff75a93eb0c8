import type { ErrorCode } from '@agent-platform/contract';
import type { Credential } from './credentials.ts';
import type { OperationPendingError } from './operation-pending-error.ts';

/** A code of the API, or `unknown` when the answer carried none that this version knows. */
export type ApiErrorCode = ErrorCode | 'unknown';

/** Why no answer of the API came, or why it was not taken. */
export type ConnectionErrorCode = 'connection_failed' | 'timeout' | 'redirect_refused' | 'unreadable_answer';

/** Why an envelope could not be sealed or opened. */
export type EnvelopeErrorCode =
  | 'invalid_key'
  | 'malformed_envelope'
  | 'unsupported_version'
  | 'wrong_recipient'
  | 'cannot_open'
  | 'invalid_text'
  | 'plaintext_too_long';

/** What is wrong with the credential or with the place where it is kept. */
export type CredentialErrorCode =
  | 'no_credential'
  | 'credential_exists'
  | 'credential_unreadable'
  | 'credential_not_saved'
  | 'store_unwritable'
  | 'wrong_origin';

/** What is wrong with the place where outbox, inbox and pinned keys are kept. */
export type StateErrorCode = 'state_unusable' | 'state_of_other_agent' | 'state_newer' | 'outbox_full';

/** Why the event stream ended for good: the close codes 4400, 4401 and 4403. */
export type StreamErrorCode = 'stream_protocol_broken' | 'stream_unauthorized' | 'stream_forbidden';

/** Every code that an error of this package can have: a closed list to switch over. */
export type PlatformErrorCode =
  | ApiErrorCode
  | ConnectionErrorCode
  | 'outcome_unknown'
  | 'operation_pending'
  | 'message_pending'
  | EnvelopeErrorCode
  | 'friend_key_changed'
  | CredentialErrorCode
  | StateErrorCode
  | StreamErrorCode
  | 'invalid_option';

/** The root of all errors of this package. Branch on `code`; the message is for people and tells the cure. */
export abstract class PlatformError extends Error {
  abstract readonly code: PlatformErrorCode;

  /** What may be logged: never a token or a key. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/** Where a request failed validation. Do not depend on it (D-15). */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** What an `ApiError` is made of. */
export interface ApiErrorParts {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly serverCode: string | null;
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly details: readonly ErrorDetail[];
  readonly retryable: boolean;
}

/** The server refused: the request had no effect, save for a 5xx on a call that may be repeated. */
export class ApiError extends PlatformError {
  override readonly name = 'ApiError';
  override readonly code: ApiErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** The code as the server sent it, also when this version does not know it. Null when there was none. */
  readonly serverCode: string | null;
  /** Names the exchange in the logs of the server. */
  readonly requestId: string | null;
  /** Seconds that the server asks to wait, or null. */
  readonly retryAfterSeconds: number | null;
  /** Where validation failed; often empty. */
  readonly details: readonly ErrorDetail[];
  /** Advice: the same call, unchanged, may succeed later. */
  readonly retryable: boolean;

  constructor(parts: ApiErrorParts) {
    super(parts.message);
    this.code = parts.code;
    this.status = parts.status;
    this.serverCode = parts.serverCode;
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
    this.details = parts.details;
    this.retryable = parts.retryable;
  }

  override toJSON(): Record<string, unknown> {
    const { status, serverCode, requestId, retryAfterSeconds, details, retryable } = this;
    return { ...super.toJSON(), status, serverCode, requestId, retryAfterSeconds, details, retryable };
  }
}

/** No answer of the API arrived, and that did no harm: nothing had an effect, or the call can be made again as it is. */
export class ConnectionError extends PlatformError {
  override readonly name = 'ConnectionError';
  override readonly code: ConnectionErrorCode;

  constructor(code: ConnectionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The answer was lost of a call that must not be repeated blindly; the message says what to do next. */
export class OutcomeUnknownError extends PlatformError {
  override readonly name = 'OutcomeUnknownError';
  override readonly code = 'outcome_unknown';
  /** The operation, as the contract names it. */
  readonly operationId: string;

  constructor(operationId: string, message: string, cause: unknown) {
    super(message, { cause });
    this.operationId = operationId;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), operationId: this.operationId };
  }
}

/** An envelope cannot be sealed or opened, or a key is not one. */
export class EnvelopeError extends PlatformError {
  override readonly name = 'EnvelopeError';
  override readonly code: EnvelopeErrorCode;

  constructor(code: EnvelopeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The credential is missing, unreadable, of another origin, or could not be kept. */
export class CredentialError extends PlatformError {
  override readonly name = 'CredentialError';
  override readonly code: CredentialErrorCode;
  // Private, so that neither JSON nor a log that inspects the error shows it.
  readonly #credential: Credential | undefined;

  constructor(code: CredentialErrorCode, message: string, more: { cause?: unknown; credential?: Credential } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.#credential = more.credential;
  }

  /**
   * With `credential_not_saved`: the credential that the server has already
   * issued and that is nowhere else. Store it before anything else.
   */
  get credential(): Credential | undefined {
    return this.#credential;
  }
}

/**
 * It is not known whether a message arrived, and that does no harm: its envelope
 * is in the outbox, and `messages.resume()` sends the same bytes again.
 */
export class MessagePendingError extends PlatformError {
  override readonly name = 'MessagePendingError';
  override readonly code = 'message_pending';
  /** Names the message in the outbox and on the server. */
  readonly clientMessageId: string;

  constructor(clientMessageId: string, message: string, cause: unknown) {
    super(message, { cause });
    this.clientMessageId = clientMessageId;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), clientMessageId: this.clientMessageId };
  }
}

/** The keys that do not agree, all of them public: canonical base64. */
export interface KeyChange {
  /** The agent whose key it is. */
  readonly botId: string;
  /** What was pinned at first use, or trusted since. */
  readonly pinnedKey: string;
  /** What is shown now. */
  readonly seenKey: string;
  /** The own key of this client. */
  readonly ownKey: string;
}

/**
 * A friend shows another key than the one that was pinned: nothing is sealed for
 * it and nothing from it is opened until `contacts.trustKey()`. The platform has
 * no operation that changes a key, so ask your friend over another channel.
 */
export class KeyChangedError extends PlatformError {
  override readonly name = 'KeyChangedError';
  override readonly code = 'friend_key_changed';
  readonly botId: string;
  readonly pinnedKey: string;
  readonly seenKey: string;
  readonly ownKey: string;

  constructor(message: string, change: KeyChange) {
    super(message);
    this.botId = change.botId;
    this.pinnedKey = change.pinnedKey;
    this.seenKey = change.seenKey;
    this.ownKey = change.ownKey;
  }

  override toJSON(): Record<string, unknown> {
    const { botId, pinnedKey, seenKey, ownKey } = this;
    return { ...super.toJSON(), botId, pinnedKey, seenKey, ownKey };
  }
}

/** Outbox, inbox or pinned keys cannot be kept, or belong to another agent. */
export class StateError extends PlatformError {
  override readonly name = 'StateError';
  override readonly code: StateErrorCode;

  constructor(code: StateErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The server closed the event stream, and connecting again is of no use until something is mended. */
export class StreamClosedError extends PlatformError {
  override readonly name = 'StreamClosedError';
  override readonly code: StreamErrorCode;
  /** 4400, 4401 or 4403. */
  readonly closeCode: number;

  constructor(code: StreamErrorCode, closeCode: number, message: string) {
    super(message);
    this.code = code;
    this.closeCode = closeCode;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), closeCode: this.closeCode };
  }
}

/** An option or an argument is wrong; nothing was sent. */
export class ConfigurationError extends PlatformError {
  override readonly name = 'ConfigurationError';
  override readonly code = 'invalid_option';
}

/** Every error of this package; `switch (error.code)` on it narrows to the class. */
export type AnyPlatformError =
  | ApiError
  | ConnectionError
  | OutcomeUnknownError
  | OperationPendingError
  | MessagePendingError
  | EnvelopeError
  | KeyChangedError
  | CredentialError
  | StateError
  | StreamClosedError
  | ConfigurationError;

/** Tells whether something caught is an error of this package. */
export function isPlatformError(error: unknown): error is AnyPlatformError {
  return error instanceof PlatformError;
}
