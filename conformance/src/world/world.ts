export type ChannelKind = 'http' | 'stream' | 'program' | 'timer' | 'interruption';

/** Channels on which a run only receives. A record contains their events, but not that they were opened. */
export const listenOnlyChannels: readonly ChannelKind[] = ['timer', 'interruption'];

/** The run's end of a channel. The run receives nothing after `close`. */
export interface Channel {
  send(data: string | Uint8Array): void;
  close(): void;
}

/** Opens a channel to the outside world; `emit` delivers events to the run. */
type StartChannel<E> = (emit: (event: E) => void) => Channel;

/**
 * Everything on which a run depends other than its code: time, random values and events from its channels. Events are
 * delivered one at a time; all effects of an event happen before the next one, so that the same events in the same
 * order produce the same run. `verify` relies on this.
 */
export interface RunWorld {
  /** Milliseconds since 1970. */
  now(): number;
  randomBytes(size: number): Buffer;
  /** Returns a value from outside the run, which `make` returns synchronously. */
  value<T>(what: string, input: unknown, make: () => T): T;
  /** Opens a channel; `hear` is called with its events. */
  open<E>(kind: ChannelKind, input: unknown, start: StartChannel<E>, hear: (event: E) => void): Channel;
  /** Registers a text that no record may contain: a secret, or a wrong token (`isWrong`) that may resemble one. */
  hide(secret: string, isWrong: boolean): void;
  /** Texts that are secret from the start. */
  readonly secrets: readonly string[];
}

export type Clock = ReturnType<typeof openClock>;

export function openClock(world: RunWorld) {
  const after = (ms: number, then: () => void): (() => void) => {
    const start = (emit: (event: null) => void) => {
      const timer = setTimeout(() => emit(null), ms);
      return { send: () => undefined, close: () => clearTimeout(timer) };
    };
    return world.open('timer', ms, start, then).close;
  };
  return {
    /** Milliseconds since 1970. */
    now: (): number => world.now(),
    /** Calls a function once after this many milliseconds, unless cancelled. */
    after,
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        after(ms, resolve);
      }),
  };
}

export function requestOnce<E>(
  world: RunWorld,
  kind: ChannelKind,
  input: unknown,
  start: () => Promise<E>,
): Promise<E> {
  return new Promise((resolve, reject) => {
    const begin: StartChannel<E> = (emit) => {
      start().then(emit, reject);
      return { send: () => undefined, close: () => undefined };
    };
    world.open<E>(kind, input, begin, resolve);
  });
}

/** Makes a signal that aborts with this one through an event of the world, so that a record contains the abort. */
export function receiveSignal(world: RunWorld, signal: AbortSignal): AbortSignal {
  const heard = new AbortController();
  const start = (emit: (event: null) => void) => {
    const end = () => emit(null);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return { send: () => undefined, close: () => signal.removeEventListener('abort', end) };
  };
  world.open('interruption', null, start, () => heard.abort());
  return heard.signal;
}
