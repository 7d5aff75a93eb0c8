/**
 * Merges streams in the order in which their items arrive, until all have ended. All of them end if one stream fails or
 * the consumer stops.
 */
export async function* mergeStreams<T>(...streams: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const pending = new Map<AsyncGenerator<T>, Promise<readonly [AsyncGenerator<T>, IteratorResult<T>]>>();
  const requestNext = (stream: AsyncGenerator<T>): void => {
    pending.set(
      stream,
      stream.next().then((result) => [stream, result]),
    );
  };
  for (const stream of streams) requestNext(stream);
  try {
    while (pending.size > 0) {
      const [stream, result] = await Promise.race(pending.values());
      pending.delete(stream);
      if (result.done === true) continue;
      yield result.value;
      requestNext(stream);
    }
  } finally {
    // Nothing awaits the last items; this catch only prevents unhandled rejections.
    for (const item of pending.values()) item.catch(() => undefined);
  }
}
