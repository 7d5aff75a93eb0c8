import { AsyncLocalStorage } from 'node:async_hooks';
import { openLiveWorld } from './live-world.ts';
import type { LineKind, RunWorld, StartLine } from './world.ts';

const current = new AsyncLocalStorage<RunWorld>();
const outside = openLiveWorld();

/** The world of the run that calls, or the real one outside of a run. */
export function here(): RunWorld {
  return current.getStore() ?? outside;
}

/** Does work in a world. */
export function inWorld<T>(world: RunWorld, work: () => T): T {
  return current.run(world, work);
}

/** Asks for something that has one answer. */
export function ask<E>(kind: LineKind, input: unknown, start: () => Promise<E>): Promise<E> {
  return new Promise((resolve, reject) => {
    const begin: StartLine<E> = (emit) => {
      start().then(emit, reject);
      return { say: () => undefined, close: () => undefined };
    };
    here().open<E>(kind, input, begin, resolve);
  });
}
