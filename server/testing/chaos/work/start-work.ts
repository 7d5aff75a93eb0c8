import { setTimeout as wait } from 'node:timers/promises';
import { makeSeededRandom } from '../../order-model/random.ts';
import type { TrustedAddress } from '../../rolling-restart/balancer.ts';
import type { Observations } from '../observations.ts';
import { makeChaosClient } from './chaos-client.ts';
import type { FriendPair } from './community.ts';
import { chooseJob } from './jobs.ts';

interface WorkDependencies {
  readonly address: TrustedAddress;
  readonly pairs: readonly FriendPair[];
  readonly seed: number;
  readonly jobsPerSecond: number;
  readonly observations: Observations;
}

const lanes = 24;

/** `stop` resolves when the outcome of each job is known. */
export function startMixedWork({ address, pairs, seed, jobsPerSecond, observations }: WorkDependencies) {
  const busy = new Set<FriendPair>();
  let isStopping = false;
  const pauseMs = (1_000 * lanes) / jobsPerSecond;

  async function work(lane: number): Promise<void> {
    const random = makeSeededRandom(seed + lane);
    const client = makeChaosClient(address, observations);
    await wait(pauseMs * random.next());
    while (!isStopping) {
      const dueMs = performance.now() + pauseMs;
      const pair = random.pick(pairs);
      const [kind, job] = chooseJob(random);
      // A pair runs one job at a time, so that the order of its observations is definite.
      if (!busy.has(pair)) {
        busy.add(pair);
        await job({ client, pair, random, observations }).catch((error: unknown) =>
          observations.problem(`${kind}: ${String(error)}`),
        );
        busy.delete(pair);
      }
      if (!isStopping) await wait(Math.max(0, dueMs - performance.now()));
    }
    client.close();
  }

  const working = Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
  return {
    stop: async () => {
      isStopping = true;
      await working;
    },
  };
}
