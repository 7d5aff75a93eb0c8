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
