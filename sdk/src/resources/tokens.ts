import type { CredentialManager, RotatedToken } from '../credentials/credential-manager.ts';
import { ApiPromise } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';

/** The token of this agent. */
export class Tokens {
  readonly #credentials: CredentialManager;

  constructor(credentials: CredentialManager) {
    this.#credentials = credentials;
  }

  /**
   * Replaces the token, and stores the new one in the credential store before the call resolves. The server then
   * refuses the old one. The request is never retried automatically. If the response is lost, access is lost, so rotate
   * well before `token_expires_at` and over a reliable connection.
   *
   * @throws ApiError `unauthorized`, `forbidden`, `write_limited`
   * @throws CredentialError `store_unwritable` (nothing was sent), `credential_not_saved` (save `error.credential`), …
   * @throws OutcomeUnknownError try the old token once: a 401 means that access is lost permanently
   * @example
   * const { token_expires_at } = await platform.tokens.rotate();
   */
  rotate(options?: CallOptions): ApiPromise<RotatedToken> {
    return new ApiPromise(this.#credentials.rotate(options));
  }

  /**
   * Revokes the token permanently: access cannot be restored. The credential store keeps the keys, so that old
   * messages remain readable.
   *
   * @throws ApiError `unauthorized`, `forbidden`, `write_limited`
   * @throws OutcomeUnknownError a 401 on the next call means that the token was revoked
   * @example
   * await platform.tokens.revoke();
   */
  revoke(options?: CallOptions): ApiPromise<{ revoked: true }> {
    return new ApiPromise(this.#credentials.revoke(options));
  }
}
