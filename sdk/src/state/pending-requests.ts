import { ApiError, KeyChangedError, PlatformError, StateError } from '../errors.ts';
import type { CachedState } from './cached-state.ts';
import type { OpenedState, PendingStore } from './client-state.ts';

/** The outcome of a pending request that was sent again. */
type Resumption<Entry, Result> = { readonly entry: Entry } & (
  | { readonly outcome: 'done'; readonly result: Result }
  | { readonly outcome: 'refused'; readonly error: ApiError | KeyChangedError }
  | { readonly outcome: 'pending'; readonly error: PlatformError }
);

/** How pending requests of one kind are stored. */
interface PendingKind<Entry> {
  readonly state: CachedState;
  readonly storeOf: (state: OpenedState) => PendingStore<Entry>;
  readonly idOf: (entry: Entry) => string;
  /** The message of the error that is thrown if the store is full. */
  readonly fullMessage: string;
}

/** Requests with an idempotency key: each is stored before it is sent, and removed when its outcome is known. */
export class PendingRequests<Entry> {
  readonly #kind: PendingKind<Entry>;
  readonly #underWay = new Set<string>();

  constructor(kind: PendingKind<Entry>) {
    this.#kind = kind;
  }

  async list(): Promise<readonly Entry[]> {
    return await (await this.#store()).list();
  }

  async remove(id: string): Promise<void> {
    await (await this.#store()).remove(id.toLowerCase());
  }

  /** Stores an entry. If its id is in use, returns the stored entry, unless that was removed concurrently. */
  async add(entry: Entry): Promise<{ readonly isNew: boolean; readonly stored: Entry | undefined }> {
    const { idOf, fullMessage } = this.#kind;
    const store = await this.#store();
    const added = await store.keep(entry);
    if (added === 'full') throw new StateError('outbox_full', fullMessage);
    if (added === 'kept') return { isNew: true, stored: undefined };
    return { isNew: false, stored: (await store.list()).find((other) => idOf(other) === idOf(entry)) };
  }

  /** Sends the request of an entry. If the request fails with an error that is not final, the entry stays stored. */
  async send<Result>(
    entry: Entry,
    request: () => Promise<Result>,
    isFinal: (error: unknown) => boolean,
  ): Promise<Result> {
    const id = this.#kind.idOf(entry);
    this.#underWay.add(id);
    try {
      const result = await request().catch(async (error: unknown) => {
        if (isFinal(error)) await this.remove(id);
        throw error;
      });
      await this.remove(id);
      return result;
    } finally {
      this.#underWay.delete(id);
    }
  }

  /**
   * Resends the stored requests for which `concerns` returns true (default: all), oldest first, except those that this
   * client is currently sending. To preserve the order, the rest stays pending once one request does.
   */
  async resume<Result>(
    send: (entry: Entry) => Promise<Result>,
    concerns: (entry: Entry) => boolean = () => true,
  ): Promise<readonly Resumption<Entry, Result>[]> {
    const results: Resumption<Entry, Result>[] = [];
    let stopped: PlatformError | undefined;
    for (const entry of await this.list()) {
      if (!concerns(entry) || this.#underWay.has(this.#kind.idOf(entry))) continue;
      try {
        if (stopped !== undefined) throw stopped;
        results.push({ entry, outcome: 'done', result: await send(entry) });
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        const isRefused = error instanceof ApiError || error instanceof KeyChangedError;
        results.push(isRefused ? { entry, outcome: 'refused', error } : { entry, outcome: 'pending', error });
        if (!isRefused) stopped = error;
      }
    }
    return results;
  }

  async #store(): Promise<PendingStore<Entry>> {
    return this.#kind.storeOf(await this.#kind.state.opened());
  }
}
