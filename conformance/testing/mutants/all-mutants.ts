import type { FaultyServer } from '../faults.ts';
import type { BuildMutant } from '../faulty-build.ts';
import { accessMutants } from './access-mutants.ts';
import { contactMutants } from './contact-mutants.ts';
import { errorMutants } from './error-mutants.ts';
import { eventBuilds } from './event-builds.ts';
import { fileMutants } from './file-mutants.ts';
import { friendshipBuilds } from './friendship-builds.ts';
import { identityBuilds } from './identity-builds.ts';
import { limitBuilds } from './limit-builds.ts';
import { limitMutants } from './limit-mutants.ts';
import { messageMutants } from './message-mutants.ts';
import { offerMutants } from './offer-mutants.ts';
import { orderMutants } from './order-mutants.ts';
import { orderReadingMutants } from './order-reading-mutants.ts';
import { ownProfileMutants } from './own-profile-mutants.ts';
import { postMutants } from './post-mutants.ts';
import { registrationMutants } from './registration-mutants.ts';
import { searchMutants } from './search-mutants.ts';
import { clockFaultBuilds, timeMutants } from './time-builds.ts';
import { tradeBuilds } from './trade-builds.ts';
import { uploadMutants } from './upload-mutants.ts';
import { walkMutants } from './walk-mutants.ts';
import { walletMutants } from './wallet-mutants.ts';

export const identityMutants: readonly FaultyServer[] = [
  ...registrationMutants,
  ...ownProfileMutants,
  ...accessMutants,
  ...errorMutants,
];

export const profileAndPostMutants: readonly FaultyServer[] = [...searchMutants, ...postMutants];

export const filesMutants: readonly FaultyServer[] = [...uploadMutants, ...fileMutants];

export const tradeMutants: readonly FaultyServer[] = [
  ...walletMutants,
  ...offerMutants,
  ...orderMutants,
  ...orderReadingMutants,
];

export const allMutants: readonly FaultyServer[] = [
  ...identityMutants,
  ...profileAndPostMutants,
  ...filesMutants,
  ...contactMutants,
  ...messageMutants,
  ...tradeMutants,
  ...limitMutants,
  ...timeMutants,
  ...walkMutants,
];

export const faultyBuilds: readonly BuildMutant[] = [
  ...identityBuilds,
  ...friendshipBuilds,
  ...tradeBuilds,
  ...eventBuilds,
  ...limitBuilds,
  ...clockFaultBuilds,
];
