import type { CachedCredential } from '../credentials/cached-credential.ts';
import { PlatformError, StateError } from '../errors.ts';
import type { ClientState, OpenedState } from './client-state.ts';

/** The state of the client. It is opened on first use, for the agent in the client's credential. */
export class CachedState {
  readonly #state: ClientState;
  readonly #credential: CachedCredential;
  #opened: { readonly botId: string; readonly state: Promise<OpenedState> } | undefined;

  constructor(state: ClientState, credential: CachedCredential) {
    this.#state = state;
    this.#credential = credential;
  }

  /**
   * The opened state. Its methods reject with a `StateError`.
   *
   * @throws CredentialError no agent is registered
   */
  async opened(): Promise<OpenedState> {
    const { origin, bot_id } = await this.#credential.current();
    if (this.#opened?.botId !== bot_id) {
      const state = orStateError(async () => {
        const opened = await this.#state.open({ origin, bot_id });
        return {
          outbox: withStateErrors(opened.outbox),
          operations: withStateErrors(opened.operations),
          inbox: withStateErrors(opened.inbox),
          pins: withStateErrors(opened.pins),
          nonces: withStateErrors(opened.nonces),
        };
      });
      this.#opened = { botId: bot_id, state };
      // After a failure, the next call opens the state again.
      state.catch(() => {
        this.#opened = undefined;
      });
    }
    return await this.#opened.state;
  }

  /** Closes the state; the next use opens it again. */
  async close(): Promise<void> {
    this.#opened = undefined;
    await orStateError(() => this.#state.close());
  }
}

/** Converts every failure of a store to a `StateError`, so that callers can branch on its code. */
function withStateErrors<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => orStateError(async () => await Reflect.apply(method, target, args));
    },
  });
}

async function orStateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StateError(
      'state_unusable',
      `The state (outbox, inbox, pinned keys, nonces) cannot be stored or read (${why}). Stored data is unchanged. Its disk needs free space, and its folder must be writable; restore a damaged file.`,
      error,
    );
  }
}
