import { setTimeout as wait } from 'node:timers/promises';

const firstDelayMs = 50;
const maxDelayMs = 2_000;

/** If a connection lasted longer than this, the pause before the next attempt is reset. */
const heldMs = 10_000;

/**
 * Keeps a connection open until `signal` aborts, reconnecting with growing pauses. `hold` resolves to the cause when
 * its connection breaks; `lost` is called with every cause except the abort.
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
