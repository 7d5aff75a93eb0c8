/** Lets so many pieces of work through at the same time; the others wait in their order. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a turnstile. What waits is bounded by who uses it, not here. */
export function makeSemaphore(places: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = places;

  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes from hand to hand, so that nobody comes in between.
      if (next === undefined) free += 1;
      else next();
    }
  };
}
