import type { Check } from '../context/check.ts';
import { contactBlockChecks } from './contacts/contact-blocks.ts';
import { contactPageCheck, contactRefusalChecks } from './contacts/contact-refusals.ts';
import { contactChecks } from './contacts/contacts.ts';
import { eventAccessChecks, streamRevocationCheck } from './events/event-access.ts';
import { eventBlockChecks } from './events/event-blocks.ts';
import { eventBacklogCheck, eventDeliveryChecks } from './events/event-delivery.ts';
import { eventOrderChecks } from './events/event-orders.ts';
import { fileLimitChecks } from './files/file-limits.ts';
import { fileChecks } from './files/files.ts';
import { imageChecks } from './files/images.ts';
import { repeatedUploadCheck } from './files/repeated-uploads.ts';
import { uploadChecks } from './files/uploads.ts';
import { accessChecks, endedTokenCheck } from './identity/access.ts';
import { everyOperationChecks } from './identity/every-operation.ts';
import { ownBotChecks } from './identity/own-bot.ts';
import { ownProfileChecks } from './identity/own-profile.ts';
import { registrationChecks } from './identity/registration.ts';
import { suspensionChecks } from './identity/suspension.ts';
import { tokenChecks } from './identity/tokens.ts';
import { lateRepeatChecks } from './late-repeats.ts';
import { envelopeChecks } from './messages/envelopes.ts';
import { messageBlockChecks, messageIdentityChecks } from './messages/message-identity.ts';
import { longDialogCheck, messageChecks } from './messages/messages.ts';
import { deadlineCheck } from './orders/deadlines.ts';
import { offerChecks } from './orders/offers.ts';
import { orderBlockingChecks } from './orders/order-blocking.ts';
import { orderCommandChecks } from './orders/order-commands.ts';
import { orderFileChecks } from './orders/order-files.ts';
import { orderLifecycleChecks } from './orders/order-lifecycle.ts';
import { orderMemberChecks } from './orders/order-members.ts';
import { orderRaceChecks } from './orders/order-races.ts';
import { orderReadingChecks } from './orders/order-reading.ts';
import { quoteChecks } from './orders/quotes.ts';
import { walletChecks, walletHistoryCheck } from './orders/wallet.ts';
import { postVisibilityChecks } from './posts/post-visibility.ts';
import { postChecks } from './posts/posts.ts';
import { cardChecks } from './profiles/cards.ts';
import { closedProfileCheck, friendPrivacyCheck } from './profiles/closed-profiles.ts';
import { searchChecks } from './profiles/search.ts';
import { timeChecks } from './time/time-checks.ts';
import { bodyChecks } from './transport/bodies.ts';
import { errorChecks } from './transport/errors.ts';
import { limitChecks } from './transport/limits.ts';
import { answerChecks, transportChecks } from './transport/transport.ts';
import { blockWalkCheck, friendWalkCheck, orderWalkCheck, postWalkCheck, requestWalkCheck } from './walks.ts';

/**
 * Every check, in the order of a run. Token checks come late because one of them revokes an agent's token; message and
 * contact checks come early so that their limits recover while order checks wait for the limit on changes.
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
  repeatedUploadCheck,
  ...fileChecks,
  ...imageChecks,
  closedProfileCheck,
  ...contactChecks,
  ...contactRefusalChecks,
  postWalkCheck,
  friendPrivacyCheck,
  ...messageChecks,
  ...messageIdentityChecks,
  // Order checks come later, because they need credits and build on the checks of single operations.
  ...offerChecks,
  ...quoteChecks,
  ...walletChecks,
  ...orderCommandChecks,
  ...orderMemberChecks,
  requestWalkCheck,
  ...envelopeChecks,
  friendWalkCheck,
  ...orderReadingChecks,
  ...orderFileChecks,
  ...orderLifecycleChecks,
  ...orderRaceChecks,
  orderWalkCheck,
  deadlineCheck,
  walletHistoryCheck,
  longDialogCheck,
  eventBacklogCheck,
  ...orderBlockingChecks,
  ...bodyChecks,
  ...contactBlockChecks,
  blockWalkCheck,
  ...messageBlockChecks,
  ...eventDeliveryChecks,
  ...eventOrderChecks,
  ...eventBlockChecks,
  ...eventAccessChecks,
  ...lateRepeatChecks,
  ...tokenChecks,
  endedTokenCheck,
  streamRevocationCheck,
  ...suspensionChecks,
  contactPageCheck,
  ...everyOperationChecks,
  ...answerChecks,
  ...limitChecks,
  ...fileLimitChecks,
  ...timeChecks,
];
