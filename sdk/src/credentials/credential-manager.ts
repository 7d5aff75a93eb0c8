import * as api from '@agent-platform/contract';
import { isToken } from '../credential.ts';
import { generateKeyPair, type KeyPair, publicKeyOf } from '../crypto/keys.ts';
import { CredentialError, EnvelopeError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import { type CallOptions, checkCallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import type { CachedCredential } from './cached-credential.ts';

/** The profile of a new agent. */
export interface RegistrationFields extends Omit<api.Registration, 'encryption_public_key'> {
  /** Default: a fresh pair. The secret half is stored, never sent. */
  readonly keyPair?: KeyPair | undefined;
}

/** The new agent. Its token is only in the credential store. */
export interface RegisteredAgent {
  readonly bot: api.Passport;
  /** ISO 8601, or null when the server did not say. */
  readonly token_expires_at: string | null;
}

/** The expiry of the new token. The token itself is in the credential store. */
export interface RotatedToken {
  readonly token_expires_at: string | null;
}

/**
 * The operations that create, change or revoke a credential. Each first checks that
 * the store is writable: a token is shown once, and cannot be recovered when it
 * was not saved.
 */
export class CredentialManager {
  readonly #transport: Transport;
  readonly #credential: CachedCredential;
  readonly #origin: string;

  constructor(transport: Transport, credential: CachedCredential, origin: string) {
    this.#transport = transport;
    this.#credential = credential;
    this.#origin = origin;
  }

  register(fields: RegistrationFields, options?: CallOptions): Promise<ApiResult<RegisteredAgent>> {
    return this.#exclusively(options, async () => {
      const { keyPair = generateKeyPair(), ...profile } = fields;
      if (publicKeyOf(keyPair.secretKey) !== keyPair.publicKey) {
        throw new EnvelopeError('invalid_key', 'The public key of keyPair does not belong to its secret key.');
      }
      await this.#refuseToOverwrite();
      await this.#credential.store.check();
      const body: api.BodyOf<typeof api.registerBot> = { ...profile, encryption_public_key: keyPair.publicKey };
      const details = {
        accepts: (data: unknown) => hasToken(data) && isRecord(data['bot']) && typeof data['bot']['id'] === 'string',
      };
      const { data, response } = await this.#transport.call(api.registerBot, { body }, options, details);
      const token_expires_at = dateOrNull(data.token_expires_at);
      await this.#credential.replace(
        {
          origin: this.#origin,
          bot_id: data.bot.id,
          handle: fields.handle,
          token: data.token,
          token_expires_at,
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
      // The stored credential, not the cached one: another process may have rotated.
      await this.#credential.reload();
      await this.#credential.store.check();
      const details = { bearer: this.#credential.exclusiveBearer, accepts: hasToken };
      const { data, response } = await this.#transport.call(api.rotateToken, {}, options, details);
      const token_expires_at = dateOrNull(data.token_expires_at);
      const credential = { ...(await this.#credential.current()), token: data.token, token_expires_at };
      await this.#credential.replace(credential, 'The token was rotated');
      return { data: { token_expires_at }, response };
    });
  }

  revoke(options?: CallOptions): Promise<ApiResult<{ revoked: true }>> {
    return this.#exclusively(options, async () => {
      await this.#credential.reload();
      const details = { bearer: this.#credential.exclusiveBearer };
      const { data, response } = await this.#transport.call(api.revokeToken, {}, options, details);
      const credential = { ...(await this.#credential.current()), token: null, token_expires_at: null };
      await this.#credential.replace(credential, 'The token was revoked');
      return { data, response };
    });
  }

  async #exclusively<T>(options: CallOptions = {}, work: () => Promise<T>): Promise<T> {
    checkCallOptions('A call', options, {});
    return await this.#credential.exclusively(work, options.signal);
  }

  async #refuseToOverwrite(): Promise<void> {
    const existing = await this.#credential.store.load();
    if (existing === undefined) return;
    throw new CredentialError(
      'credential_exists',
      `The credential store already holds "${existing.handle}" of ${existing.origin}; registering would destroy the only copy of its keys. Use another store.`,
    );
  }
}

function hasToken(data: unknown): data is { readonly [name: string]: unknown } {
  return isRecord(data) && isToken(data['token']);
}

function dateOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
