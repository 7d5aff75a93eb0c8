import { type Credential, hideCredentialSecrets, isBearerToken } from '../credential.ts';
import { CredentialError } from '../errors.ts';
import type { TransportSettings } from '../transport/call-options.ts';
import { rejectWhenAborted } from '../transport/sleep.ts';
import type { TokenSource } from '../transport/transport.ts';
import type { CredentialStore } from './credential-store.ts';
import { mayBeRotating } from './token-life.ts';

// The delays between reads of the store: another process may store its new token shortly after the token took effect.
// They are longer while a rotation is due, because that process may also be waiting for a slow response.
const onceMoreWaitsMs = [0, 250];
const storingWaitsMs = [0, 250, 500, 1_000, 2_000];
const patientWaitsMs = [...storingWaitsMs, 4_000, 8_000, 8_000, 8_000];

/**
 * The credential in use by a client. It is read from the store once, and again if its token is refused, because
 * another process may have rotated the token.
 */
export class CachedCredential {
  readonly store: CredentialStore;
  readonly #origin: string;
  readonly #settings: Pick<TransportSettings, 'now' | 'sleep'>;
  #cached: Credential | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(store: CredentialStore, origin: string, settings: Pick<TransportSettings, 'now' | 'sleep'>) {
    this.store = store;
    this.#origin = origin;
    this.#settings = settings;
  }

  /** Tokens for ordinary calls. After a 401, these calls wait until a rotation by this client has ended. */
  readonly bearer: TokenSource = {
    token: async () => tokenOf(await this.current()),
    replacementFor: async (refused) => {
      await this.#queue;
      return await this.awaitStored(refused, undefined, onceMoreWaitsMs);
    },
  };

  /** Tokens for calls inside an exclusive operation, which must not wait for the end of that operation. */
  readonly exclusiveBearer: TokenSource = {
    token: this.bearer.token,
    replacementFor: (refused) => this.awaitStored(refused),
  };

  /** Calls `work`, which changes the credential, once earlier such calls have ended. The signal only ends this wait. */
  exclusively<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#queue;
    const result = rejectWhenAborted(before, signal).then(work);
    this.#queue = Promise.allSettled([before, result]);
    return result;
  }

  async current(): Promise<Credential> {
    return this.#cached ?? this.reload();
  }

  async reload(): Promise<Credential> {
    const stored = await this.store.load();
    if (stored === undefined) {
      throw new CredentialError(
        'no_credential',
        'No agent is registered in this credential store. Register one first.',
      );
    }
    if (stored.origin !== this.#origin) {
      throw new CredentialError(
        'wrong_origin',
        `The credential belongs to ${stored.origin} and is never sent to ${this.#origin}. Use another credential store for this server.`,
      );
    }
    this.#cached = hideCredentialSecrets(stored);
    return this.#cached;
  }

  /**
   * Replaces the credential after a change on the server: immediately in memory, then in the store.
   *
   * @throws CredentialError `credential_not_saved`, with the credential
   */
  async replace(credential: Credential, whatHappened: string): Promise<void> {
    this.#cached = hideCredentialSecrets(credential);
    try {
      await this.store.save(credential);
    } catch (cause) {
      throw new CredentialError(
        'credential_not_saved',
        `${whatHappened}, but the credential could not be saved. The \`credential\` of this error is its only copy: store it before this process exits.`,
        { cause, credential: this.#cached },
      );
    }
  }

  /** Waits for the token that replaces a refused one; this or another process may store it a moment later. */
  async awaitReplacement(refused: string, signal: AbortSignal): Promise<string | undefined> {
    await rejectWhenAborted(this.#queue, signal);
    return await this.awaitStored(refused, signal);
  }

  /** As `awaitReplacement`, but for calls inside an exclusive operation. */
  async awaitStored(
    refused: string,
    signal?: AbortSignal,
    usualWaitsMs: readonly number[] = storingWaitsMs,
  ): Promise<string | undefined> {
    for (const waitMs of this.#mayBeInRotation() ? patientWaitsMs : usualWaitsMs) {
      await this.#settings.sleep(waitMs, signal);
      const token = await this.#replacementFor(refused);
      if (token !== undefined) return token;
    }
    return undefined;
  }

  #mayBeInRotation(): boolean {
    return this.#cached !== undefined && mayBeRotating(this.#cached, this.#settings.now());
  }

  async #replacementFor(refused: string): Promise<string | undefined> {
    const before = this.#cached;
    if (before !== undefined && before.token !== refused) return before.token ?? undefined;
    const stored = await this.store.load();
    // By now, the store may contain another agent. The calls of this agent must not use that agent's token.
    if (stored === undefined || stored.origin !== this.#origin) return undefined;
    if (before !== undefined && stored.bot_id !== before.bot_id) return undefined;
    this.#cached = hideCredentialSecrets(stored);
    return isBearerToken(stored.token) && stored.token !== refused ? stored.token : undefined;
  }
}

function tokenOf(credential: Credential): string {
  if (credential.token === null) {
    throw new CredentialError(
      'no_credential',
      `The token of "${credential.handle}" was revoked and cannot be recovered.`,
    );
  }
  if (!isBearerToken(credential.token)) {
    throw new CredentialError('credential_unreadable', 'The stored token contains invalid characters.');
  }
  return credential.token;
}
