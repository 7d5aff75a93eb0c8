/** A kind of line to the outside. */
export type LineKind = 'http' | 'stream' | 'program' | 'timer' | 'interruption';

/** Lines on which a run asks for nothing: a record has what they bring, and not that they were opened. */
export const silentLines: readonly LineKind[] = ['timer', 'interruption'];

/** An end of a line: what it receives. The run hears nothing more after `close`. */
export interface LineEnd {
  say(data: string | Uint8Array): void;
  close(): void;
}

/** Opens the outer end of a line; `emit` delivers what comes from outside. */
type StartLine<E> = (emit: (event: E) => void) => LineEnd;

/**
 * Everything that a run depends on beside its own code: time, random values, and what comes over its lines. Events are
 * delivered one at a time, and all that follows from one happens before the next; a run that gets the same events in the
 * same order does the same. That is what `verify` relies on.
 */
export interface RunWorld {
  /** Milliseconds since 1970. */
  now(): number;
  randomBytes(size: number): Buffer;
  /** A value from outside that is there at once. */
  value<T>(what: string, input: unknown, make: () => T): T;
  /** Opens a line; `hear` receives its events. */
  open<E>(kind: LineKind, input: unknown, start: StartLine<E>, hear: (event: E) => void): LineEnd;
  /** A text that no record may contain: a secret, or a wrong token that is nearly one. */
  hide(secret: string, isWrong: boolean): void;
  /** Texts that are secrets from the start. */
  readonly secrets: readonly string[];
}

/** The time of a world. */
export type Clock = ReturnType<typeof openClock>;

/** Opens the clock of a world. */
export function openClock(world: RunWorld) {
  const after = (ms: number, then: () => void): (() => void) => {
    const start = (emit: (event: null) => void) => {
      const timer = setTimeout(() => emit(null), ms);
      return { say: () => undefined, close: () => clearTimeout(timer) };
    };
    return world.open('timer', ms, start, then).close;
  };
  return {
    /** Milliseconds since 1970. */
    now: (): number => world.now(),
    /** Calls once after so many milliseconds, unless it is cancelled. */
    after,
    /** Waits so many milliseconds. */
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        after(ms, resolve);
      }),
  };
}

/** Asks a world for something that has one answer. */
export function ask<E>(world: RunWorld, kind: LineKind, input: unknown, start: () => Promise<E>): Promise<E> {
  return new Promise((resolve, reject) => {
    const begin: StartLine<E> = (emit) => {
      start().then(emit, reject);
      return { say: () => undefined, close: () => undefined };
    };
    world.open<E>(kind, input, begin, resolve);
  });
}

/** The same signal as an event of the world, which a record has in its place. */
export function hearSignal(world: RunWorld, signal: AbortSignal): AbortSignal {
  const heard = new AbortController();
  const start = (emit: (event: null) => void) => {
    const end = () => emit(null);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return { say: () => undefined, close: () => signal.removeEventListener('abort', end) };
  };
  world.open('interruption', null, start, () => heard.abort());
  return heard.signal;
}
