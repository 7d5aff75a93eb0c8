import type { Check } from '../context/check.ts';
import { contactBlockChecks } from './contacts/contact-blocks.ts';
import { contactPageChecks, contactRefusalChecks } from './contacts/contact-refusals.ts';
import { contactChecks } from './contacts/contacts.ts';
import { eventAccessChecks, eventRevocationChecks } from './events/event-access.ts';
import { eventBlockChecks } from './events/event-blocks.ts';
import { eventBacklogChecks, eventDeliveryChecks } from './events/event-delivery.ts';
import { eventOrderChecks } from './events/event-orders.ts';
import { fileLimitChecks } from './files/file-limits.ts';
import { fileChecks } from './files/files.ts';
import { imageChecks } from './files/images.ts';
import { repeatedUploadChecks } from './files/repeated-uploads.ts';
import { uploadChecks } from './files/uploads.ts';
import { accessChecks, endedBearerChecks } from './identity/access.ts';
import { ownBotChecks } from './identity/own-bot.ts';
import { ownProfileChecks } from './identity/own-profile.ts';
import { registrationChecks } from './identity/registration.ts';
import { suspensionChecks } from './identity/suspension.ts';
import { tokenChecks } from './identity/tokens.ts';
import { envelopeChecks } from './messages/envelopes.ts';
import { messageBlockChecks, messageIdentityChecks } from './messages/message-identity.ts';
import { longDialogChecks, messageChecks } from './messages/messages.ts';
import { deadlineChecks } from './orders/deadlines.ts';
import { offerChecks } from './orders/offers.ts';
import { orderBlockingChecks } from './orders/order-blocking.ts';
import { orderCommandChecks } from './orders/order-commands.ts';
import { orderFileChecks } from './orders/order-files.ts';
import { orderLifecycleChecks } from './orders/order-lifecycles.ts';
import { orderRaceChecks } from './orders/order-races.ts';
import { orderReadingChecks } from './orders/order-reading.ts';
import { quoteChecks } from './orders/quotes.ts';
import { walletChecks, walletHistoryChecks } from './orders/wallet.ts';
import { postVisibilityChecks } from './posts/post-visibility.ts';
import { postChecks } from './posts/posts.ts';
import { cardChecks } from './profiles/cards.ts';
import { closedProfileChecks, friendPrivacyChecks } from './profiles/closed-profiles.ts';
import { searchChecks } from './profiles/search.ts';
import { timeChecks } from './time/time-checks.ts';
import { errorChecks } from './transport/errors.ts';
import { limitChecks } from './transport/limits.ts';
import { answerChecks, transportChecks } from './transport/transport.ts';
import { blockWalkChecks, friendWalkChecks, orderWalkChecks, postWalkChecks, requestWalkChecks } from './walks.ts';

/** Credits and single operations of orders, which whole lifecycles rely on. */
const singleOrderChecks: readonly Check[] = [...offerChecks, ...quoteChecks, ...walletChecks, ...orderCommandChecks];

const orderCourseChecks: readonly Check[] = [
  ...orderReadingChecks,
  ...orderFileChecks,
  ...orderLifecycleChecks,
  ...orderRaceChecks,
  ...orderWalkChecks,
  ...deadlineChecks,
  ...walletHistoryChecks,
];

/**
 * Every check, in the order of a run: tokens come late, as one check revokes the token of an agent. Checks of messages and
 * of contact requests lie apart: while orders wait for the limit of changes, the minutes of theirs pass as well.
 */
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
  ...uploadChecks,
  ...repeatedUploadChecks,
  ...fileChecks,
  ...imageChecks,
  ...closedProfileChecks,
  ...contactChecks,
  ...contactRefusalChecks,
  ...postWalkChecks,
  ...friendPrivacyChecks,
  ...messageChecks,
  ...messageIdentityChecks,
  ...singleOrderChecks,
  ...requestWalkChecks,
  ...envelopeChecks,
  ...friendWalkChecks,
  ...orderCourseChecks,
  ...longDialogChecks,
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
