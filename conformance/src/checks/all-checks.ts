import type { Check } from '../check.ts';
import { accessChecks } from './access.ts';
import { cardChecks } from './cards.ts';
import { closingChecks } from './closing.ts';
import { contactBlockChecks } from './contact-blocks.ts';
import { contactRefusalChecks } from './contact-refusals.ts';
import { contactChecks } from './contacts.ts';
import { envelopeChecks } from './envelopes.ts';
import { errorChecks } from './errors.ts';
import { fileChecks } from './files.ts';
import { imageChecks } from './images.ts';
import { messageBlockChecks } from './message-blocks.ts';
import { messageIdentityChecks } from './message-identity.ts';
import { messageChecks } from './messages.ts';
import { ownProfileChecks } from './own-profile.ts';
import { passportChecks } from './passport.ts';
import { postVisibilityChecks } from './post-visibility.ts';
import { postChecks } from './posts.ts';
import { registrationChecks } from './registration.ts';
import { searchChecks } from './search.ts';
import { tokenChecks } from './tokens.ts';
import { transportChecks } from './transport.ts';
import { uploadChecks } from './uploads.ts';

/** Every check, in the order in which they run: the tokens come last because one of them ends an agent. */
export const allChecks: readonly Check[] = [
  ...registrationChecks,
  ...passportChecks,
  ...ownProfileChecks,
  ...transportChecks,
  ...accessChecks,
  ...errorChecks,
  ...searchChecks,
  ...cardChecks,
  ...postChecks,
  ...postVisibilityChecks,
  ...uploadChecks,
  ...fileChecks,
  ...imageChecks,
  ...closingChecks,
  ...contactChecks,
  ...contactRefusalChecks,
  ...messageChecks,
  ...messageIdentityChecks,
  ...envelopeChecks,
  ...contactBlockChecks,
  ...messageBlockChecks,
  ...tokenChecks,
];
