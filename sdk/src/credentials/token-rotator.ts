import { CredentialError } from '../errors.ts';
import { warn } from '../host.ts';
import type { TransportSettings } from '../transport/call-options.ts';
import { callHook } from '../transport/hooks.ts';
import { type Sleep, sleep } from '../transport/sleep.ts';
import type { CachedCredential } from './cached-credential.ts';
import type { CredentialManager } from './credential-manager.ts';
import { computeRotationDueMs } from './token-life.ts';

interface RotatorDependencies {
  readonly credential: CachedCredential;
  readonly manager: Pick<CredentialManager, 'rotateIfDue'>;
  readonly settings: Pick<TransportSettings, 'hooks' | 'now' | 'random'>;
  /** False if the program rotates tokens itself. */
  readonly rotates: boolean;
  /** Default: a timer. */
  readonly sleep?: Sleep;
}

// Short, so that a due rotation is noticed soon after a machine resumes or a test moves the clock.
const checkEveryMs = 1_000;
// Random delays spread the rotations of processes that share a credential over at most half of the time until expiry.
const spreadMaxMs = 30_000;
const spreadShare = 0.5;
const retryEveryMs = 300_000;
const saveAgainEveryMs = 5_000;

/** Rotates the token after 80 % of its lifetime, as long as a caller of `start` needs it. */
export class TokenRotator {
  readonly #parts: RotatorDependencies;
  #users = 0;
  #loop: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined;
  /** A new token that is not stored yet. */
  #unsaved: CredentialError | undefined;
  #warned = '';
  /** The random delay of this process as a share of the longest delay, from 0 to below 1. */
  #lateness = 0;

  constructor(parts: RotatorDependencies) {
    this.#parts = parts;
  }

  /**
   * Keeps the token valid until the returned function is called; that call waits for a running rotation.
   *
   * @throws CredentialError from the returned function: `credential_not_saved`, with the only copy of the new token
   */
  start(): () => Promise<void> {
    this.#users += 1;
    if (this.#loop === undefined && this.#parts.rotates) {
      const ending = new AbortController();
      this.#lateness = this.#parts.settings.random();
      this.#loop = { ending, ended: this.#run(ending.signal) };
    }
    return async () => {
      this.#users -= 1;
      const loop = this.#loop;
      if (this.#users > 0 || loop === undefined) return;
      this.#loop = undefined;
      loop.ending.abort();
      await loop.ended;
      if (this.#unsaved !== undefined && !(await this.#save(this.#unsaved))) throw this.#unsaved;
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const wait = this.#parts.sleep ?? sleep;
    while (!signal.aborted) {
      const waitMs = await this.#check();
      await wait(waitMs, signal).catch(() => undefined);
    }
  }

  /** Rotates the token if due; returns the milliseconds until the next check. */
  async #check(): Promise<number> {
    if (this.#unsaved !== undefined) return (await this.#save(this.#unsaved)) ? 0 : saveAgainEveryMs;
    const { credential, settings } = this.#parts;
    const { now, hooks } = settings;
    // Errors are ignored, because the work that needs the token then fails with the same error.
    const current = await credential.current().catch(() => undefined);
    const dueMs = current && computeRotationDueMs(current);
    if (current === undefined || dueMs === undefined) return checkEveryMs;
    const leftMs = Date.parse(current.token_expires_at ?? '') - dueMs;
    const beginMs = dueMs + this.#lateness * Math.min(spreadMaxMs, leftMs * spreadShare);
    if (now() < beginMs) return Math.min(checkEveryMs, beginMs - now());
    try {
      const rotated = await this.#rotate();
      if (rotated !== undefined) {
        callHook(hooks.onTokenRotation, { state: 'rotated', tokenExpiresAt: rotated.token_expires_at });
      }
      return checkEveryMs;
    } catch (error) {
      if (error instanceof CredentialError && error.credential !== undefined) this.#unsaved = error;
      const waitMs = this.#unsaved === undefined ? retryEveryMs : saveAgainEveryMs;
      this.#report(error, current.token_expires_at, waitMs);
      return waitMs;
    }
  }

  async #rotate() {
    const { credential, manager } = this.#parts;
    if (credential.store.isCopy !== true) return await manager.rotateIfDue();
    throw new CredentialError(
      'store_unwritable',
      'The credential store is a copy: a token rotated here would be lost when the process exits.',
    );
  }

  async #save({ credential }: CredentialError): Promise<boolean> {
    if (credential === undefined) return true;
    try {
      await this.#parts.credential.store.save(credential);
      this.#unsaved = undefined;
      return true;
    } catch {
      return false;
    }
  }

  #report(error: unknown, tokenExpiresAt: string | null, waitMs: number): void {
    const { onTokenRotation } = this.#parts.settings.hooks;
    if (onTokenRotation !== undefined) {
      callHook(onTokenRotation, { state: 'failed', error, tokenExpiresAt, waitMs });
      return;
    }
    const why = error instanceof Error ? error.message : String(error);
    if (why === this.#warned) return;
    this.#warned = why;
    warn(
      `The token, which expires at ${tokenExpiresAt}, could not be rotated: ${why} The next attempt is in ${waitMs / 1_000} s. Call platform.tokens.rotate() yourself, or set rotateToken to false.`,
      'AgentPlatformTokenWarning',
    );
  }
}
