import type { Prepared } from '../../src/store/store.ts';

/** A prepared statement as the driver takes it. */
export const statement = ({ name, text }: Prepared<unknown>, values: unknown[]) => ({ name, text, values });

/**
 * Repeats work in parallel loops, each on an item of its own, and prints how
 * often it was done per second. A run of half the time comes first, so that
 * connections, plans and compiled code exist before the measurement.
 */
export async function measureRate<T>(
  items: readonly T[],
  { seconds, loops }: { readonly seconds: string; readonly loops: string },
  work: (item: T) => Promise<void>,
): Promise<void> {
  await run(Number(seconds) / 2);
  const perSecond = await run(Number(seconds));
  process.stdout.write(`${JSON.stringify({ perSecond })}\n`);

  async function run(forSeconds: number): Promise<number> {
    const started = performance.now();
    const endsAt = started + forSeconds * 1_000;
    let done = 0;
    const repeat = async (number: number) => {
      const item = items[number % items.length];
      if (item === undefined) throw new Error('This database has no contacts.');
      while (performance.now() < endsAt) {
        await work(item);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: Number(loops) }, (_, number) => repeat(number)));
    return (done * 1_000) / (performance.now() - started);
  }
}
