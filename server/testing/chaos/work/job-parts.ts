import type { SeededRandom } from '../../order-model/random.ts';
import type { Observations } from '../observations.ts';
import type { ChaosClient } from './chaos-client.ts';
import type { FriendPair } from './community.ts';

export interface JobDependencies {
  readonly client: ChaosClient;
  readonly pair: FriendPair;
  readonly random: SeededRandom;
  readonly observations: Observations;
}
