import type { InboxEvent } from '../contacts/contact-and-message-types.ts';
import type { StoredEvent } from '../state/client-state.ts';
import type { StreamReceiver } from './receiver.ts';
import { Wakeup } from './wakeup.ts';

/** Called with each new event; the next call waits until this one resolves or `over` aborts. */
export type OnStored = (event: StoredEvent, over: AbortSignal) => Promise<void> | void;

export interface StreamSession {
  /** Aborted when the caller stops the session. */
  readonly stopped: AbortSignal;
  /** Aborted when the session is stopped or the stream has ended permanently. */
  readonly over: AbortSignal;
  stop(): void;
  /** Stops the session; rejects with the error that ended it. */
  end(): Promise<void>;
}

const arrivedMax = 256;
const pollEveryMs = 1_000;

/** Starts to receive events, until the caller's signal aborts or `end()` is called. */
export function startStreamSession(
  receiver: StreamReceiver,
  signal: AbortSignal | undefined,
  onStored: OnStored,
): StreamSession {
  const stopped = new AbortController();
  const ended = new AbortController();
  const over = AbortSignal.any([stopped.signal, ended.signal]);
  const stop = () => stopped.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let failure: { readonly error: unknown } | undefined;
  const running = receiver
    .run(stopped.signal, (event) => onStored(event, over))
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => ended.abort());
  return {
    stopped: stopped.signal,
    over,
    stop,
    end: async () => {
      signal?.removeEventListener('abort', stop);
      stop();
      await running;
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** Yields the received events in order, as fast as the caller consumes them. */
export async function* receivedEvents(
  begin: (onStored: OnStored) => StreamSession,
): AsyncGenerator<InboxEvent, void, undefined> {
  const arrived: StoredEvent[] = [];
  const changed = new Wakeup();
  const session = begin(async (event, over) => {
    arrived.push(event);
    changed.wake();
    // If the caller is slow, this wait delays the acknowledgement.
    while (arrived.length > arrivedMax && !over.aborted) await changed.wait(pollEveryMs, over);
  });
  try {
    for (;;) {
      const event = arrived.shift();
      changed.wake();
      // The payload is assumed to have the type in the contract, as in handlers.
      if (event !== undefined) yield event as InboxEvent;
      else if (session.over.aborted) break;
      else await changed.wait(pollEveryMs, session.over);
    }
  } finally {
    await session.end();
  }
}
