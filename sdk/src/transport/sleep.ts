/** Waits; rejects immediately with the signal's reason if it aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** Settles like `promise`, but rejects immediately with the signal's reason if it aborts first. */
export async function rejectWhenAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    ended.abort();
  }
}

/**
 * Calls `work` with a signal that aborts with any of the given ones. A listener that remains on this signal keeps nothing
 * in memory afterwards; one on `AbortSignal.any` would, as long as the given signals exist.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [any, ended] = [new AbortController(), new AbortController()];
  for (const signal of signals) {
    if (signal?.aborted === true) any.abort(signal.reason);
    signal?.addEventListener('abort', () => any.abort(signal.reason), { signal: ended.signal });
  }
  try {
    return await work(any.signal);
  } finally {
    ended.abort();
  }
}
