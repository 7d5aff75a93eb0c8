import process from 'node:process';

const probeMs = 50;

/**
 * Returns a function that returns the elapsed milliseconds, divided by the slowdown that other programs cause.
 *
 * @example
 * const quietMs = startLoadAdjustedTimer();
 * await server.stop();
 * expect(quietMs()).toBeLessThan(5_000);
 */
export function startLoadAdjustedTimer(): () => number {
  const slowdownBefore = measureSlowdown();
  const startedMs = performance.now();
  return () => {
    const tookMs = performance.now() - startedMs;
    return tookMs / Math.max(slowdownBefore, measureSlowdown());
  };
}

/** Returns the ratio of elapsed time to processor time, which is 1 on an idle machine. */
export function measureSlowdown(): number {
  const startedMs = performance.now();
  const used = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(used);
    const usedMs = (user + system) / 1_000;
    if (usedMs >= probeMs) return Math.max(1, (performance.now() - startedMs) / usedMs);
  }
}
