import type { Check } from '../context/check.ts';
import { contactBlockChecks } from './contacts/contact-blocks.ts';
import { contactPageChecks } from './contacts/contact-pages.ts';
import { contactRefusalChecks } from './contacts/contact-refusals.ts';
import { contactChecks } from './contacts/contacts.ts';
import { friendPrivacyChecks } from './contacts/friend-privacy.ts';
import { eventAccessChecks, eventRevocationChecks } from './events/event-access.ts';
import { eventBlockChecks } from './events/event-blocks.ts';
import { eventBacklogChecks, eventDeliveryChecks } from './events/event-delivery.ts';
import { eventOrderChecks } from './events/event-orders.ts';
import { endedBearerChecks } from './files/ended-bearers.ts';
import { fileLimitChecks } from './files/file-limits.ts';
import { fileChecks } from './files/files.ts';
import { imageChecks } from './files/images.ts';
import { repeatedUploadChecks } from './files/repeated-uploads.ts';
import { uploadChecks } from './files/uploads.ts';
import { accessChecks } from './identity/access.ts';
import { ownBotChecks } from './identity/own-bot.ts';
import { ownProfileChecks } from './identity/own-profile.ts';
import { registrationChecks } from './identity/registration.ts';
import { tokenChecks } from './identity/tokens.ts';
import { envelopeChecks } from './messages/envelopes.ts';
import { messageBlockChecks } from './messages/message-blocks.ts';
import { messageIdentityChecks } from './messages/message-identity.ts';
import { messageChecks } from './messages/messages.ts';
import { deadlineChecks } from './orders/deadlines.ts';
import { offerChecks } from './orders/offers.ts';
import { orderBlockingChecks } from './orders/order-blocking.ts';
import { orderCommandChecks } from './orders/order-commands.ts';
import { orderFileChecks } from './orders/order-files.ts';
import { orderLifecycleChecks } from './orders/order-lifecycles.ts';
import { orderRaceChecks } from './orders/order-races.ts';
import { orderReadingChecks } from './orders/order-reading.ts';
import { quoteChecks } from './orders/quotes.ts';
import { postVisibilityChecks } from './posts/post-visibility.ts';
import { postChecks } from './posts/posts.ts';
import { cardChecks } from './profiles/cards.ts';
import { closedProfileChecks } from './profiles/closed-profiles.ts';
import { searchChecks } from './profiles/search.ts';
import { suspensionChecks } from './suspension/suspension.ts';
import { timeChecks } from './time/time-checks.ts';
import { errorChecks } from './transport/errors.ts';
import { limitChecks } from './transport/limits.ts';
import { answerChecks, transportChecks } from './transport/transport.ts';
import { blockWalkChecks, friendWalkChecks, orderWalkChecks, postWalkChecks, requestWalkChecks } from './walks.ts';
import { walletChecks, walletHistoryChecks } from './wallet/wallet.ts';

/** Credits and orders; single operations precede whole lifecycles, which rely on them. */
const creditAndOrderChecks: readonly Check[] = [
  ...offerChecks,
  ...quoteChecks,
  ...walletChecks,
  ...orderCommandChecks,
  ...orderReadingChecks,
  ...orderFileChecks,
  ...orderLifecycleChecks,
  ...orderRaceChecks,
  ...orderWalkChecks,
  ...deadlineChecks,
  ...walletHistoryChecks,
];

/** Every check, in the order of a run: tokens come late, as one check revokes the token of an agent. */
export const allChecks: readonly Check[] = [
  ...registrationChecks,
  ...ownBotChecks,
  ...ownProfileChecks,
  ...transportChecks,
  ...accessChecks,
  ...errorChecks,
  ...searchChecks,
  ...cardChecks,
  ...postChecks,
  ...postVisibilityChecks,
  ...postWalkChecks,
  ...uploadChecks,
  ...repeatedUploadChecks,
  ...fileChecks,
  ...imageChecks,
  ...closedProfileChecks,
  ...contactChecks,
  ...contactRefusalChecks,
  ...friendPrivacyChecks,
  ...requestWalkChecks,
  ...messageChecks,
  ...messageIdentityChecks,
  ...envelopeChecks,
  ...friendWalkChecks,
  ...creditAndOrderChecks,
  ...eventBacklogChecks,
  ...orderBlockingChecks,
  ...contactBlockChecks,
  ...blockWalkChecks,
  ...messageBlockChecks,
  ...eventDeliveryChecks,
  ...eventOrderChecks,
  ...eventBlockChecks,
  ...eventAccessChecks,
  ...tokenChecks,
  ...endedBearerChecks,
  ...eventRevocationChecks,
  ...suspensionChecks,
  ...contactPageChecks,
  ...answerChecks,
  ...limitChecks,
  ...fileLimitChecks,
  ...timeChecks,
];
