import { connections, type LoadResult, loadEach, type Target } from './load.ts';
import { readProcessorMs } from './process-figures.ts';
import type { ServerProcess } from './server-process.ts';

/** A process and the request that loads it. */
export type Side = readonly [server: ServerProcess, target: Target];

/** A load with the processor time of a request; it is not a number where the system does not tell it. */
export async function measuredLoad([{ pid }, target]: Side, seconds: number, count = connections) {
  const before = readProcessorMs(pid) ?? Number.NaN;
  const targets = Array.from({ length: count }, () => target);
  const result = await loadEach(targets, { seconds });
  const processorMs = (readProcessorMs(pid) ?? Number.NaN) - before;
  return { ...result, processorUs: (processorMs * 1_000) / (result.perSecond * seconds) };
}

/** A load on one line. */
export function showLoad({ perSecond, p50Ms, p99Ms }: LoadResult): string {
  return `${perSecond.toFixed(0)} requests/s (p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms)`;
}
