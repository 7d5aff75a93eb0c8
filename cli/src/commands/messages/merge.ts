/**
 * Takes from several sources whatever comes first, until all have ended. A
 * failure of one ends all of them, and so does whoever stops taking.
 */
export async function* merge<T>(...sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const pending = new Map<number, Promise<{ readonly index: number; readonly result: IteratorResult<T> }>>();
  const ask = (index: number): void => {
    const source = sources[index];
    if (source === undefined) return;
    pending.set(
      index,
      source.next().then((result) => ({ index, result })),
    );
  };
  for (const index of sources.keys()) ask(index);
  try {
    while (pending.size > 0) {
      const { index, result } = await Promise.race(pending.values());
      pending.delete(index);
      if (result.done === true) continue;
      yield result.value;
      ask(index);
    }
  } finally {
    // Their last questions are answered by nobody any more.
    for (const waiting of pending.values()) waiting.catch(() => undefined);
  }
}
