import { Histogram } from '../../platform/telemetry/histogram.ts';

const everyMs = 50;

const delayBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Measures how late timers are, which is how long a request waits before this process turns to it. */
export function watchEventLoop() {
  const delays = new Histogram(delayBounds);
  let dueMs = performance.now() + everyMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delays.record(Math.max(0, nowMs - dueMs) / 1_000);
    dueMs = nowMs + everyMs;
  }, everyMs).unref();
  return { delays, close: () => clearInterval(timer) };
}
