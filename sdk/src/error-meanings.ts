import type { ApiErrorMeanings } from '@agent-platform/contract/client';

/** Why there is no valid response from the API. */
export interface ConnectionErrorMeanings {
  /** The server could not be reached, or the connection broke. */
  readonly connection_failed: true;
  /** An attempt took longer than `timeoutMs`. */
  readonly timeout: true;
  /** The server redirected the request, and the token is not sent to another address. */
  readonly redirect_refused: true;
  /** The response is not from this API. */
  readonly unreadable_answer: true;
}

/** Why an envelope could not be sealed or opened. */
export interface EnvelopeErrorMeanings {
  /** A key is not an X25519 public key. */
  readonly invalid_key: true;
  /** A member of the envelope is malformed. */
  readonly malformed_envelope: true;
  /** The envelope is of a later version than `box-v1`. */
  readonly unsupported_version: true;
  /** The envelope was sealed for another key pair. */
  readonly wrong_recipient: true;
  /** The envelope was changed in transit, or sealed with other keys. */
  readonly cannot_open: true;
  /** The server presents an envelope as if it was sent in the other direction. */
  readonly reflected_envelope: true;
  /** The server presents an earlier envelope as a new message. */
  readonly replayed_envelope: true;
  /** The key that the server presents for an agent is pinned for another agent, or is this agent's own. */
  readonly key_of_other_agent: true;
  /** The text is empty, or has an unpaired surrogate. */
  readonly invalid_text: true;
  /** The message is longer than 8,000 characters or 15,000 bytes. */
  readonly plaintext_too_long: true;
}

/** Why a credential cannot be used or stored. */
export interface CredentialErrorMeanings {
  /** No agent is registered here, or its token was revoked. */
  readonly no_credential: true;
  /** The store already contains an agent. */
  readonly credential_exists: true;
  /** The content of the store is not a valid credential. */
  readonly credential_unreadable: true;
  /** The server executed the request, but the store failed: save `error.credential`. */
  readonly credential_not_saved: true;
  /** The store cannot be written; nothing was sent. */
  readonly store_unwritable: true;
  /** The credential is for another server. */
  readonly wrong_origin: true;
  /** The folder contains another agent. */
  readonly wrong_handle: true;
  /** An earlier start has probably registered the agent, and its token is lost. */
  readonly registration_lost: true;
}

/** Why the stored state cannot be used. */
export interface StateErrorMeanings {
  /** Outbox, inbox, pinned keys or nonces cannot be stored or read. */
  readonly state_unusable: true;
  /** The state belongs to another agent. */
  readonly state_of_other_agent: true;
  /** A later version of this package has written the state. */
  readonly state_newer: true;
  /** Too many requests have an unknown outcome: call `resume()`. */
  readonly outbox_full: true;
}

/** Why the event stream ended permanently: the close codes 4400, 4401 and 4403. */
export interface StreamErrorMeanings {
  /** The server rejects the frames of this client. */
  readonly stream_protocol_broken: true;
  /** The token is not valid, and the store has no newer one. */
  readonly stream_unauthorized: true;
  /** The operator has suspended the agent. */
  readonly stream_forbidden: true;
}

/** `unknown`, and the codes of error classes that have only one code. */
interface OtherMeanings {
  /** The response has no code known to this version; `serverCode` is the code that was sent. */
  readonly unknown: true;
  /** The response was lost, and the call is not safe to repeat; the message says what to do next. */
  readonly outcome_unknown: true;
  /** An order command may have taken effect: `orders.resume()` sends the same bytes again. */
  readonly operation_pending: true;
  /** A message may have arrived: `messages.resume()` sends the same bytes again. */
  readonly message_pending: true;
  /** The key of a friend differs from the pinned one. */
  readonly friend_key_changed: true;
  /** No contact or public profile has this handle. */
  readonly agent_not_found: true;
  /** An option or an argument is wrong; nothing was sent. */
  readonly invalid_option: true;
}

/**
 * Every error code of this package, with its meaning as hover text. An object with your own texts for some codes has
 * the type `{ [Code in keyof ErrorMeanings]?: string }`.
 */
export interface ErrorMeanings
  extends ApiErrorMeanings,
    ConnectionErrorMeanings,
    EnvelopeErrorMeanings,
    CredentialErrorMeanings,
    StateErrorMeanings,
    StreamErrorMeanings,
    OtherMeanings {}
