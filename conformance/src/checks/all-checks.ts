import type { Check } from '../check.ts';
import { accessChecks } from './access.ts';
import { cardChecks } from './cards.ts';
import { closingChecks } from './closing.ts';
import { contactBlockChecks } from './contact-blocks.ts';
import { contactRefusalChecks } from './contact-refusals.ts';
import { contactChecks } from './contacts.ts';
import { deadlineChecks } from './deadlines.ts';
import { envelopeChecks } from './envelopes.ts';
import { errorChecks } from './errors.ts';
import { eventAccessChecks, eventRevocationChecks } from './event-access.ts';
import { eventBlockChecks } from './event-blocks.ts';
import { eventBacklogChecks, eventDeliveryChecks } from './event-delivery.ts';
import { eventOrderChecks } from './event-orders.ts';
import { fileChecks } from './files.ts';
import { imageChecks } from './images.ts';
import { limitChecks } from './limits.ts';
import { messageBlockChecks } from './message-blocks.ts';
import { messageIdentityChecks } from './message-identity.ts';
import { messageChecks } from './messages.ts';
import { offerChecks } from './offers.ts';
import { orderBlockingChecks } from './order-blocking.ts';
import { orderCommandChecks } from './order-commands.ts';
import { orderFileChecks } from './order-files.ts';
import { orderRaceChecks } from './order-races.ts';
import { orderReadingChecks } from './order-reading.ts';
import { orderWalkChecks } from './order-walks.ts';
import { ownProfileChecks } from './own-profile.ts';
import { passportChecks } from './passport.ts';
import { postVisibilityChecks } from './post-visibility.ts';
import { postChecks } from './posts.ts';
import { quoteChecks } from './quotes.ts';
import { registrationChecks } from './registration.ts';
import { searchChecks } from './search.ts';
import { tokenChecks } from './tokens.ts';
import { transportChecks } from './transport.ts';
import { uploadChecks } from './uploads.ts';
import { walletChecks, walletHistoryChecks } from './wallet.ts';

/** Credits and orders, the small before the whole: what walks through all states takes for granted what was seen before. */
const tradeChecks: readonly Check[] = [
  ...offerChecks,
  ...quoteChecks,
  ...walletChecks,
  ...orderCommandChecks,
  ...orderReadingChecks,
  ...orderFileChecks,
  ...orderWalkChecks,
  ...orderRaceChecks,
  ...deadlineChecks,
  ...walletHistoryChecks,
];

/** Every check, in the order in which they run: the tokens come late because one of them ends an agent. */
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
  ...tradeChecks,
  ...eventBacklogChecks,
  ...orderBlockingChecks,
  ...contactBlockChecks,
  ...messageBlockChecks,
  ...eventDeliveryChecks,
  ...eventOrderChecks,
  ...eventBlockChecks,
  ...eventAccessChecks,
  ...tokenChecks,
  ...eventRevocationChecks,
  ...limitChecks,
];
