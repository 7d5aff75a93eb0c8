import { here } from './here.ts';

/** Milliseconds since 1970. */
export function now(): number {
  return here().now();
}

/** Calls once after so many milliseconds, unless it is cancelled. */
export function callAfter(ms: number, then: () => void): () => void {
  const start = (emit: (event: null) => void) => {
    const timer = setTimeout(() => emit(null), ms);
    return { say: () => undefined, close: () => clearTimeout(timer) };
  };
  return here().open('timer', ms, start, then).close;
}

/** Waits so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    callAfter(ms, resolve);
  });
}
