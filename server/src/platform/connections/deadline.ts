/** Work that was not done in its time; it may still be in progress. */
export class LateError extends Error {}

/** Waits for work at most so many milliseconds, then rejects with a `LateError` whose message begins with `late`. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  const expired = Promise.withResolvers<never>();
  const expire = () => expired.reject(new LateError(`${late} within ${milliseconds} ms.`));
  // Two halves, so that a pause of this process uses up one of them at most; and
  // an answer that came during a pause is read before the deadline is judged.
  let timer = setTimeout(() => {
    timer = setTimeout(() => setImmediate(expire), milliseconds / 2);
  }, milliseconds / 2);
  try {
    return await Promise.race([work, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
