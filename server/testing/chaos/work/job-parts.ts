import type { Random } from '../../order-model/random.ts';
import type { Observations } from '../observations.ts';
import type { ChaosClient } from './chaos-client.ts';
import type { Pair } from './community.ts';

/** The parts that a job needs. */
export interface JobParts {
  readonly client: ChaosClient;
  readonly pair: Pair;
  readonly random: Random;
  readonly observations: Observations;
}
