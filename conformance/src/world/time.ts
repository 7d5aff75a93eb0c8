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

/** The same signal as an event of the world, which a record has in its place. */
export function hearSignal(signal: AbortSignal): AbortSignal {
  const heard = new AbortController();
  const start = (emit: (event: null) => void) => {
    const end = () => emit(null);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return { say: () => undefined, close: () => signal.removeEventListener('abort', end) };
  };
  here().open('interruption', null, start, () => heard.abort());
  return heard.signal;
}
