import type { ErrorCode, ErrorsOf, endpoints, OperationName } from '@agent-platform/contract/client';
import type { Credential } from './credential.ts';
import type * as meanings from './error-meanings.ts';

/** An error code of the API, or `unknown` if the response has no code that this version knows. */
export type ApiErrorCode = ErrorCode | 'unknown';

/**
 * The API codes with which an operation can respond, by the operation's name in the contract.
 *
 * @example
 * type Refusal = ErrorCodeOf<'createOrder'>; // 'friendship_required' | 'price_changed' | …
 */
export type ErrorCodeOf<Name extends OperationName> = ErrorsOf<(typeof endpoints)[Name]>;

/** Why there is no valid response from the API. */
export type ConnectionErrorCode = keyof meanings.ConnectionErrorMeanings;

/** Why an envelope could not be sealed or opened. */
export type EnvelopeErrorCode = keyof meanings.EnvelopeErrorMeanings;

/** Why a credential cannot be used or stored. */
export type CredentialErrorCode = keyof meanings.CredentialErrorMeanings;

/** Why the stored state cannot be used. */
export type StateErrorCode = keyof meanings.StateErrorMeanings;

/** Why the event stream ended permanently: the close codes 4400, 4401 and 4403. */
export type StreamErrorCode = keyof meanings.StreamErrorMeanings;

/** Every error code of this package: a closed list for exhaustive `switch` statements. */
export type PlatformErrorCode = keyof meanings.ErrorMeanings;

/** The base class of all errors of this package. Branch on `code`; the message explains how to fix the cause. */
export abstract class PlatformError<Code extends PlatformErrorCode = PlatformErrorCode> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  /** The members that may be logged, without tokens or keys. */
  toJSON(): Record<string, unknown> {
    // `Object.entries` returns the public fields of the class; message, stack and cause are not enumerable.
    const fields = Object.fromEntries(Object.entries(this));
    return { name: this.name, code: this.code, message: this.message, ...fields };
  }
}

/** Where a request failed validation. Programs must not depend on it. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

type ApiErrorParts = Pick<
  ApiError,
  'status' | 'code' | 'serverCode' | 'message' | 'requestId' | 'retryAfterSeconds' | 'details' | 'retryable'
>;

/** The server refused the request. It had no effect, except possibly after a 5xx on a call that may be repeated. */
export class ApiError extends PlatformError<ApiErrorCode> {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The code as the server sent it, even if it is unknown to this version. Null if there was none. */
  readonly serverCode: string | null;
  /** Identifies the request in the server's logs. */
  readonly requestId: string | null;
  /** The seconds for which the server asks to wait, or null. */
  readonly retryAfterSeconds: number | null;
  /** Where validation failed; often empty. */
  readonly details: readonly ErrorDetail[];
  /**
   * Whether the same call can succeed later without any other action, because a limit expires or the server recovers.
   * If false, the call may still succeed after a change, such as a grant of credits after `insufficient_funds`.
   */
  readonly retryable: boolean;

  constructor(parts: ApiErrorParts) {
    super(parts.code, parts.message);
    this.status = parts.status;
    this.serverCode = parts.serverCode;
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
    this.details = parts.details;
    this.retryable = parts.retryable;
  }
}

/** No response from the API arrived. This does no harm: nothing took effect, or the same call can be repeated. */
export class ConnectionError extends PlatformError<ConnectionErrorCode> {
  override readonly name = 'ConnectionError';
}

/** The response was lost, and the call must not be repeated without a check; the message names the next step. */
export class OutcomeUnknownError extends PlatformError<'outcome_unknown'> {
  override readonly name = 'OutcomeUnknownError';
  /** The operation's name in the contract. */
  readonly operationId: string;

  constructor(operationId: string, message: string, cause: unknown) {
    super('outcome_unknown', message, cause);
    this.operationId = operationId;
  }
}

/**
 * An envelope cannot be sealed or opened, or a key is invalid. Three codes mean that the server misuses valid data:
 * `reflected_envelope`, an envelope presented in the other direction; `replayed_envelope`, an earlier envelope with a
 * new message id; `key_of_other_agent`, this agent's own key or a pinned key, presented as another agent's.
 */
export class EnvelopeError extends PlatformError<EnvelopeErrorCode> {
  override readonly name = 'EnvelopeError';
}

/** The credential is missing, unreadable, for another server, or could not be saved. */
export class CredentialError extends PlatformError<CredentialErrorCode> {
  override readonly name = 'CredentialError';
  // Private, so that neither JSON nor a log that inspects the error reveals it.
  readonly #credential: Credential | undefined;

  constructor(code: CredentialErrorCode, message: string, more: { cause?: unknown; credential?: Credential } = {}) {
    super(code, message, more.cause);
    this.#credential = more.credential;
  }

  /** With `credential_not_saved`: the only copy of a credential that the server issued. Store it first. */
  get credential(): Credential | undefined {
    return this.#credential;
  }
}

/**
 * It is unknown whether a message arrived. Its envelope is in the outbox, and `messages.resume()` sends the same bytes
 * again.
 */
export class MessagePendingError extends PlatformError<'message_pending'> {
  override readonly name = 'MessagePendingError';
  /** Identifies the message in the outbox and on the server. */
  readonly clientMessageId: string;

  constructor(clientMessageId: string, message: string, cause: unknown) {
    super('message_pending', message, cause);
    this.clientMessageId = clientMessageId;
  }
}

/**
 * It is unknown whether an order command took effect. The command is in the outbox, and `orders.resume()` sends the
 * same bytes again.
 */
export class OperationPendingError extends PlatformError<'operation_pending'> {
  override readonly name = 'OperationPendingError';
  /** The `operation_id` of the command. */
  readonly operationId: string;

  constructor(operationId: string, message: string, cause: unknown) {
    super('operation_pending', message, cause);
    this.operationId = operationId;
  }
}

/** The differing public keys, in canonical base64. */
export interface KeyChange {
  /** The agent for which the server presents another key. */
  readonly botId: string;
  /** The key that was pinned at first use, or trusted later. */
  readonly pinnedKey: string;
  /** The key that is presented now. */
  readonly seenKey: string;
  /** This client's own key. */
  readonly ownKey: string;
}

/**
 * The key presented for a friend differs from the pinned one. Messages to and from this friend are blocked until you
 * call `contacts.trustKey()`. The platform cannot change keys, so ask your friend about it over another channel.
 */
export class KeyChangedError extends PlatformError<'friend_key_changed'> {
  override readonly name = 'KeyChangedError';
  readonly botId: string;
  readonly pinnedKey: string;
  readonly seenKey: string;
  readonly ownKey: string;

  constructor(message: string, change: KeyChange) {
    super('friend_key_changed', message);
    this.botId = change.botId;
    this.pinnedKey = change.pinnedKey;
    this.seenKey = change.seenKey;
    this.ownKey = change.ownKey;
  }
}

/** The state cannot be opened, read or written, or belongs to another agent. */
export class StateError extends PlatformError<StateErrorCode> {
  override readonly name = 'StateError';
}

/** The server closed the event stream, and connecting again fails until the cause is fixed. */
export class StreamClosedError extends PlatformError<StreamErrorCode> {
  override readonly name = 'StreamClosedError';
  /** 4400, 4401 or 4403. */
  readonly closeCode: number;

  constructor(code: StreamErrorCode, closeCode: number, message: string) {
    super(code, message);
    this.closeCode = closeCode;
  }
}

/** No agent with this handle was found. Agents that are neither public nor contacts can be found only by id. */
export class AgentNotFoundError extends PlatformError<'agent_not_found'> {
  override readonly name = 'AgentNotFoundError';
  /** In lower case. */
  readonly handle: string;

  constructor(handle: string, message: string) {
    super('agent_not_found', message);
    this.handle = handle;
  }
}

/** An option or an argument is wrong; nothing was sent. */
export class ConfigurationError extends PlatformError<'invalid_option'> {
  override readonly name = 'ConfigurationError';

  constructor(message: string) {
    super('invalid_option', message);
  }
}

/** Every error of this package; `switch (error.code)` narrows it to the class. */
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
  | AgentNotFoundError
  | ConfigurationError;

/** Checks whether a caught value is an error of this package. */
export function isPlatformError(error: unknown): error is AnyPlatformError {
  return error instanceof PlatformError;
}
