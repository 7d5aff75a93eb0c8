import type { BuildMutant } from '../faulty-build.ts';
import { eventBuilds } from './event-builds.ts';
import { friendshipBuilds } from './friendship-builds.ts';
import { identityBuilds } from './identity-builds.ts';
import { limitBuilds } from './limit-builds.ts';
import { tradeBuilds } from './trade-builds.ts';

/** Every reference server with a faulty part. */
export const buildMutants: readonly BuildMutant[] = [
  ...identityBuilds,
  ...friendshipBuilds,
  ...tradeBuilds,
  ...eventBuilds,
  ...limitBuilds,
];
