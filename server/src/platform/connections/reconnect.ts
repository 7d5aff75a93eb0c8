import { setTimeout as wait } from 'node:timers/promises';

const firstDelayMs = 50;
const maxDelayMs = 2_000;

/** A connection that breaks after this time is replaced without a longer pause. */
const heldMs = 10_000;

/**
 * Keeps a connection open, replacing it with growing pauses until `signal` aborts. `hold` resolves to the cause when
 * its connection breaks; `lost` is called with each cause except the abort.
 */
export async function keepConnected(
  hold: () => Promise<unknown>,
  lost: (cause: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    const startedMs = performance.now();
    const cause = await hold().catch((error: unknown) => error);
    if (signal.aborted) return;
    lost(cause);
    delayMs = performance.now() - startedMs > heldMs ? firstDelayMs : Math.min(delayMs * 2, maxDelayMs);
    await wait(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
