interface ReadingTimes {
  readonly everyMs: number;
  readonly withinMs: number;
}

/**
 * Shares one read among all scrapers: the value is read at most once per interval, by one caller at a time. A read
 * that fails or takes too long returns undefined, and no second read starts while it runs.
 */
export function makeSharedReader<Of extends readonly unknown[], T>(
  read: (...of: Of) => Promise<T>,
  { everyMs, withinMs }: ReadingTimes,
): (...of: Of) => Promise<T | undefined> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let value: T | undefined;
  let running: { readonly startedMs: number; readonly ended: Promise<void> } | undefined;

  function start(of: Of): { readonly startedMs: number; readonly ended: Promise<void> } {
    const ended = read(...of)
      .then(
        (result) => {
          value = result;
        },
        () => {
          value = undefined;
        },
      )
      .finally(() => {
        readAtMs = performance.now();
        running = undefined;
      });
    return { startedMs: performance.now(), ended };
  }

  return async (...of) => {
    const nowMs = performance.now();
    if (running === undefined && nowMs - readAtMs < everyMs) return value;
    running ??= start(of);
    const { startedMs, ended } = running;
    const leftMs = startedMs + withinMs - nowMs;
    if (leftMs <= 0) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), leftMs);
    });
    const end = await Promise.race([ended, late]);
    clearTimeout(timer);
    return end === 'late' ? undefined : value;
  };
}
