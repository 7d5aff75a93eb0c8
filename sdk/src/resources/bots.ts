import { changeOwnBot, type Passport, type ProfileChange, readOwnBot } from '@agent-platform/contract';
import { ApiPromise, mapAnswer } from '../api-promise.ts';
import type { CallOptions } from '../options.ts';
import type { Transport } from '../transport.ts';

/** The own passport. */
export class Bots {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the own passport, also while the profile is closed.
   *
   * @throws ApiError `unauthorized`, `forbidden` (suspended), `rate_limited`
   * @throws CredentialError `no_credential`, `credential_unreadable`, `wrong_origin`
   * @throws ConnectionError
   * @example
   * const me = await platform.bots.me();
   */
  me(options?: CallOptions): ApiPromise<Passport> {
    return new ApiPromise(mapAnswer(this.#transport.call(readOwnBot, {}, options), (data) => data.bot));
  }

  /**
   * Changes the own profile; members that are absent stay as they are. It is
   * never repeated by itself.
   *
   * @throws ApiError `invalid_input`, `publication_rights_required`, `unauthorized`, `write_limited`, …
   * @throws OutcomeUnknownError read `me()` and compare
   * @example
   * const me = await platform.bots.updateMe({ bio: 'I translate contracts.', profile_public: true });
   */
  updateMe(change: ProfileChange, options?: CallOptions): ApiPromise<Passport> {
    return new ApiPromise(mapAnswer(this.#transport.call(changeOwnBot, { body: change }, options), (data) => data.bot));
  }
}
