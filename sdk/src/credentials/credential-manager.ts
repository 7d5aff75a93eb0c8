import * as api from '@agent-platform/contract/client';
import { isBearerToken } from '../credential.ts';
import { generateKeyPair, type KeyPair, publicKeyOf } from '../crypto/keys.ts';
import { ApiError, CredentialError, EnvelopeError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { Passport, ProfileFields } from '../records/profile.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import { type CallOptions, checkCallOptions } from '../transport/call-options.ts';
import type { TokenSource, Transport } from '../transport/transport.ts';
import type { CachedCredential } from './cached-credential.ts';
import { isRotationDue } from './token-life.ts';

/** The profile of a new agent. */
export interface RegistrationFields extends ProfileFields {
  /** Default: a new pair. The secret key is stored and never sent. */
  readonly keyPair?: KeyPair | undefined;
}

/** The new agent. Its token is only in the credential store. */
export interface RegisteredAgent {
  readonly bot: Passport;
  /** ISO 8601 in UTC, or null if the server did not report it. */
  readonly token_expires_at: string | null;
}

/** The expiry of the new token. The token itself is in the credential store. */
export interface RotatedToken {
  /** ISO 8601 in UTC, or null if the server did not report it. */
  readonly token_expires_at: string | null;
}

/**
 * The operations that create, change or revoke a credential. Those that issue a token first check that the store is
 * writable, because the server returns a token only once.
 */
export class CredentialManager {
  readonly #transport: Transport;
  readonly #credential: CachedCredential;
  readonly #origin: string;
  readonly #now: () => number;

  constructor(transport: Transport, credential: CachedCredential, origin: string, now: () => number) {
    this.#transport = transport;
    this.#credential = credential;
    this.#origin = origin;
    this.#now = now;
  }

  register(fields: RegistrationFields, options?: CallOptions): Promise<ApiResult<RegisteredAgent>> {
    return this.#exclusively(options, async () => {
      const { keyPair = generateKeyPair(), ...profile } = fields;
      if (publicKeyOf(keyPair.secretKey) !== keyPair.publicKey) {
        throw new EnvelopeError('invalid_key', 'The public key of keyPair does not belong to its secret key.');
      }
      await this.#refuseToOverwrite();
      await this.#credential.store.check();
      const body: api.BodyOf<typeof api.endpoints.registerBot> = {
        ...profile,
        encryption_public_key: keyPair.publicKey,
      };
      const details = {
        accepts: (data: unknown) => hasToken(data) && isRecord(data['bot']) && typeof data['bot']['id'] === 'string',
      };
      const { data, response } = await this.#transport.call(api.endpoints.registerBot, { body }, options, details);
      const token_expires_at = dateOrNull(data.token_expires_at);
      await this.#credential.replace(
        {
          origin: this.#origin,
          bot_id: data.bot.id,
          handle: fields.handle,
          token: data.token,
          token_expires_at,
          token_issued_at: this.#issuedAt(),
          encryption_public_key: keyPair.publicKey,
          encryption_secret_key: keyPair.secretKey,
        },
        `The agent "${fields.handle}" is registered`,
      );
      return { data: { bot: data.bot, token_expires_at }, response };
    });
  }

  rotate(options?: CallOptions): Promise<ApiResult<RotatedToken>> {
    return this.#exclusively(options, async () => {
      // Uses the stored credential and not the cached one, because another process may have rotated the token.
      await this.#credential.reload();
      return await this.#rotate(this.#credential.exclusiveBearer, options);
    });
  }

  /**
   * Rotates a token that has reached 80 % of its lifetime, unless another process has done so. The server replaces a
   * token only once, so one of several processes succeeds, and the others load the new token from the store.
   *
   * @returns undefined if this process has not rotated it
   */
  rotateIfDue(): Promise<RotatedToken | undefined> {
    return this.#credential.exclusively(async () => {
      const stored = await this.#credential.reload();
      if (!isRotationDue(stored, this.#now())) return undefined;
      const { token } = this.#credential.exclusiveBearer;
      try {
        // Never retries with a replacement token, which is new and would be rotated needlessly.
        return (await this.#rotate({ token, replacementFor: async () => undefined })).data;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        if ((await this.#credential.awaitStored(stored.token ?? '')) === undefined) throw error;
        return undefined;
      }
    }, undefined);
  }

  revoke(options?: CallOptions): Promise<ApiResult<{ revoked: true }>> {
    return this.#exclusively(options, async () => {
      await this.#credential.reload();
      const details = { bearer: this.#credential.exclusiveBearer };
      const { data, response } = await this.#transport.call(api.endpoints.revokeToken, {}, options, details);
      const credential = {
        ...(await this.#credential.current()),
        token: null,
        token_expires_at: null,
        token_issued_at: null,
      };
      await this.#credential.replace(credential, 'The token was revoked');
      return { data, response };
    });
  }

  async #exclusively<T>(options: CallOptions = {}, work: () => Promise<T>): Promise<T> {
    checkCallOptions('A call', options, {});
    return await this.#credential.exclusively(work, options.signal);
  }

  async #rotate(bearer: TokenSource, options?: CallOptions): Promise<ApiResult<RotatedToken>> {
    await this.#credential.store.check();
    const { data, response } = await this.#transport.call(api.endpoints.rotateToken, {}, options, {
      bearer,
      accepts: hasToken,
    });
    const token_expires_at = dateOrNull(data.token_expires_at);
    const change = { token: data.token, token_expires_at, token_issued_at: this.#issuedAt() };
    const credential = { ...(await this.#credential.current()), ...change };
    await this.#credential.replace(credential, 'The token was rotated');
    return { data: { token_expires_at }, response };
  }

  #issuedAt(): string {
    return new Date(this.#now()).toISOString();
  }

  async #refuseToOverwrite(): Promise<void> {
    const existing = await this.#credential.store.load();
    if (existing === undefined) return;
    throw new CredentialError(
      'credential_exists',
      `The credential store already contains "${existing.handle}" of ${existing.origin}; registering would destroy the only copy of its keys. Use another store.`,
    );
  }
}

function hasToken(data: unknown): data is { readonly [name: string]: unknown } {
  return isRecord(data) && isBearerToken(data['token']);
}

function dateOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
