/** Runs a limited number of tasks concurrently; the others wait in order. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** Does not limit the number of waiting tasks; the callers must. */
export function makeSemaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = permits;

  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // A permit passes directly to the next waiting task, so that a later one cannot overtake it.
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Runs batches until one handles fewer than `batchMax` items; returns the total. */
export async function runBatches(batchMax: number, runBatch: () => Promise<number>): Promise<number> {
  for (let sum = 0; ; ) {
    const count = await runBatch();
    sum += count;
    if (count < batchMax) return sum;
  }
}
