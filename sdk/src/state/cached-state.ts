import type { CachedCredential } from '../credentials/cached-credential.ts';
import { PlatformError, StateError } from '../errors.ts';
import type { ClientState, InboxStore, OpenedState, PendingStore, PinStore } from './client-state.ts';

/** The state of the client, opened for the agent of its credential when it is first needed. */
export class CachedState {
  readonly #state: ClientState;
  readonly #held: CachedCredential;
  #opened: { readonly botId: string; readonly state: Promise<OpenedState> } | undefined;

  constructor(state: ClientState, held: CachedCredential) {
    this.#state = state;
    this.#held = held;
  }

  /**
   * The opened state. What its methods fail with is a `StateError`.
   *
   * @throws CredentialError there is no agent whose state it could be
   */
  async opened(): Promise<OpenedState> {
    const { origin, bot_id } = await this.#held.current();
    if (this.#opened?.botId !== bot_id) {
      const state = telling(() => this.#state.open({ origin, bot_id }))().then(tellingState);
      this.#opened = { botId: bot_id, state };
      // One that could not be opened is tried again by the next call.
      state.catch(() => {
        this.#opened = undefined;
      });
    }
    return await this.#opened.state;
  }
}

function tellingState({ outbox, operations, inbox, pins }: OpenedState): OpenedState {
  const tellingInbox: InboxStore = {
    keep: telling((event, topic, nowMs) => inbox.keep(event, topic, nowMs)),
    lease: telling((nowMs, untilMs) => inbox.lease(nowMs, untilMs)),
    renew: telling((eventId, leaseId, untilMs) => inbox.renew(eventId, leaseId, untilMs)),
    finish: telling((eventId, leaseId, nowMs) => inbox.finish(eventId, leaseId, nowMs)),
    postpone: telling((eventId, leaseId, again) => inbox.postpone(eventId, leaseId, again)),
    park: telling((eventId, leaseId, reason) => inbox.park(eventId, leaseId, reason)),
    release: telling((eventId, nowMs) => inbox.release(eventId, nowMs)),
    list: telling((status) => inbox.list(status)),
    snapshot: telling((known) => inbox.snapshot(known)),
  };
  const tellingPins: PinStore = {
    get: telling((botId) => pins.get(botId)),
    keep: telling((pin) => pins.keep(pin)),
    replace: telling((pin) => pins.replace(pin)),
    list: telling(() => pins.list()),
  };
  return {
    outbox: tellingPending(outbox),
    operations: tellingPending(operations),
    inbox: tellingInbox,
    pins: tellingPins,
  };
}

function tellingPending<Entry>(store: PendingStore<Entry>): PendingStore<Entry> {
  return {
    keep: telling((entry) => store.keep(entry)),
    list: telling(() => store.list()),
    remove: telling((id) => store.remove(id)),
  };
}

function telling<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await work(...args);
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new StateError(
        'state_unusable',
        `Outbox, inbox or pinned keys could not be kept or read (${why}). Mend the place where the state is; what was kept stays.`,
        error,
      );
    }
  };
}
