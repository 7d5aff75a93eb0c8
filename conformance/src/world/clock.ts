import type { RunWorld } from './world.ts';

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
