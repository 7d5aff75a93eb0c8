import type { LineKind, RunWorld, StartLine } from './world.ts';

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
