import type { Mutant } from '../faults.ts';
import { accessMutants } from './access-mutants.ts';
import { errorMutants } from './error-mutants.ts';
import { passportMutants } from './passport-mutants.ts';
import { registrationMutants } from './registration-mutants.ts';

/** Every faulty server. */
export const allMutants: readonly Mutant[] = [
  ...registrationMutants,
  ...passportMutants,
  ...accessMutants,
  ...errorMutants,
];
