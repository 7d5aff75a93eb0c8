import { setTimeout as wait } from 'node:timers/promises';
import { makeSeededRandom } from '../../order-model/random.ts';
import type { Cluster } from '../cluster.ts';
import type { Observations } from '../observations.ts';
import { type FaultWindow, formatElapsedTime } from '../windows.ts';
import type { PlannedFault } from './fault-plan.ts';
import { getFault } from './faults.ts';

interface InjectionDependencies {
  readonly cluster: Cluster;
  readonly plan: readonly PlannedFault[];
  readonly seed: number;
  readonly observations: Observations;
  readonly startedMs: number;
  readonly say: (line: string) => void;
}

/** Resolves when all faults of the plan have ended. */
export async function injectFaults(parts: InjectionDependencies): Promise<void> {
  // On a busy machine a fault may last longer than planned; the next one on the same component waits until it ends.
  const ends = new Map<string, Promise<void>>();
  for (const [number, planned] of parts.plan.entries()) {
    const { uses } = getFault(planned.name);
    const before = ends.get(uses) ?? Promise.resolve();
    ends.set(
      uses,
      before.then(() => inject(parts, planned, number)),
    );
  }
  await Promise.all(ends.values());
}

async function inject(parts: InjectionDependencies, planned: PlannedFault, number: number): Promise<void> {
  const { cluster, seed, observations, startedMs, say } = parts;
  const fault = getFault(planned.name);
  const name = fault.isOfInstance ? `${planned.name} of instance ${planned.instance + 1}` : planned.name;
  await wait(Math.max(0, startedMs + 1_000 * planned.at - performance.now()));
  const window: FaultWindow = {
    name,
    beganMs: performance.now(),
    endedMs: Number.POSITIVE_INFINITY,
    explains: fault.explains,
  };
  observations.windows.push(window);
  say(`${formatElapsedTime(window.beganMs - startedMs)} ${name}, for ${planned.seconds.toFixed(1)} s`);
  try {
    const end = await fault.begin(cluster, planned.instance, makeSeededRandom(seed + number));
    await wait(1_000 * planned.seconds);
    await end();
  } catch (error) {
    observations.problem(`${name}: ${String(error)}`);
  }
  window.endedMs = performance.now();
  say(`${formatElapsedTime(window.endedMs - startedMs)} ${name} is over`);
}
