/** Thrown when work exceeds its time limit; the work may still be running. */
export class DeadlineExceededError extends Error {}

/** Waits for work until a time limit, then rejects with a `DeadlineExceededError` whose message starts with `late`. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  const expired = Promise.withResolvers<never>();
  const expire = () => expired.reject(new DeadlineExceededError(`${late} within ${milliseconds} ms.`));
  // There are two timers, each for half the time: after a pause of this process, at most one of them is overdue, and
  // results that arrived during the pause are read before the other one expires.
  let timer = setTimeout(() => {
    timer = setTimeout(() => setImmediate(expire), milliseconds / 2);
  }, milliseconds / 2);
  try {
    return await Promise.race([work, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
