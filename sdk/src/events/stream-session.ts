import type { StoredEvent } from '../state/client-state.ts';
import type { StreamReceiver } from './receiver.ts';
import { Wakeup } from './wakeup.ts';

/** Told of each event that was not there before; the next one waits for it, until `over` aborts. */
export type OnKept = (event: StoredEvent, over: AbortSignal) => Promise<void> | void;

/** Receiving that is under way. */
export interface StreamSession {
  /** Aborted when somebody wants it to end. */
  readonly asked: AbortSignal;
  /** Aborted then, and also when the stream has ended for good. */
  readonly over: AbortSignal;
  stop(): void;
  /** Ends it; rejects with what it had failed with. */
  end(): Promise<void>;
}

const arrivedMax = 256;
const lookEveryMs = 1_000;

/** Begins to receive; the caller's signal, or `end()`, is its end. */
export function startStreamSession(
  receiver: StreamReceiver,
  signal: AbortSignal | undefined,
  onKept: OnKept,
): StreamSession {
  const asked = new AbortController();
  const ended = new AbortController();
  const over = AbortSignal.any([asked.signal, ended.signal]);
  const stop = () => asked.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let failure: { readonly error: unknown } | undefined;
  const running = receiver
    .run(asked.signal, (event) => onKept(event, over))
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => ended.abort());
  return {
    asked: asked.signal,
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

/** Gives what a reception brings in, in its order, as fast as it is taken. */
export async function* receivedEvents(
  begin: (onKept: OnKept) => StreamSession,
): AsyncGenerator<StoredEvent, void, undefined> {
  const arrived: StoredEvent[] = [];
  const changed = new Wakeup();
  const reception = begin(async (event, over) => {
    arrived.push(event);
    changed.wake();
    // Nothing is acknowledged ahead of a loop that does not keep up.
    while (arrived.length > arrivedMax && !over.aborted) await changed.wait(lookEveryMs, over);
  });
  try {
    for (;;) {
      const event = arrived.shift();
      changed.wake();
      if (event !== undefined) yield event;
      else if (reception.over.aborted) break;
      else await changed.wait(lookEveryMs, reception.over);
    }
  } finally {
    await reception.end();
  }
}
