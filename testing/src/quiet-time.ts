import process from 'node:process';

/** How much processor time a measurement of the load of the machine takes. */
const probeMs = 50;

/**
 * Measures how long something takes, as on a machine that does nothing else: on
 * one where other programs run as well, the time is divided by their share.
 *
 * @example
 * const quietMs = measureQuietTime();
 * await server.stop();
 * expect(quietMs()).toBeLessThan(5_000);
 */
export function measureQuietTime(): () => number {
  const slowdownBefore = measureSlowdown();
  const startedMs = performance.now();
  return () => {
    const tookMs = performance.now() - startedMs;
    return tookMs / Math.max(slowdownBefore, measureSlowdown());
  };
}

/** The time that passes for each unit of processor time: 1 on a machine that does nothing else. */
export function measureSlowdown(): number {
  const startedMs = performance.now();
  const used = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(used);
    const usedMs = (user + system) / 1_000;
    if (usedMs >= probeMs) return Math.max(1, (performance.now() - startedMs) / usedMs);
  }
}
