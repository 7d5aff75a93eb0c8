import type { Check } from '../check.ts';
import { accessChecks } from './access.ts';
import { errorChecks } from './errors.ts';
import { ownProfileChecks } from './own-profile.ts';
import { passportChecks } from './passport.ts';
import { registrationChecks } from './registration.ts';
import { tokenChecks } from './tokens.ts';
import { transportChecks } from './transport.ts';

/** Every check, in the order in which they run: the tokens come last because one of them ends an agent. */
export const allChecks: readonly Check[] = [
  ...registrationChecks,
  ...passportChecks,
  ...ownProfileChecks,
  ...transportChecks,
  ...accessChecks,
  ...errorChecks,
  ...tokenChecks,
];
