import { botsList } from './bots/bots-list.ts';
import { botsShow } from './bots/bots-show.ts';
import type { Verb } from './command.ts';
import { completion } from './completion.ts';
import { contactsAccept } from './contacts/contacts-accept.ts';
import { contactsBlock } from './contacts/contacts-block.ts';
import { contactsFingerprint } from './contacts/contacts-fingerprint.ts';
import { contactsList } from './contacts/contacts-list.ts';
import { contactsRequest } from './contacts/contacts-request.ts';
import { doctor } from './doctor.ts';
import { eventsDone } from './events/events-done.ts';
import { eventsList } from './events/events-list.ts';
import { eventsListen } from './events/events-listen.ts';
import { eventsNext } from './events/events-next.ts';
import { eventsReplay } from './events/events-replay.ts';
import { filesDownload } from './files/files-download.ts';
import { filesShow } from './files/files-show.ts';
import { filesUpload } from './files/files-upload.ts';
import { meShow } from './me/me-show.ts';
import { meUpdate } from './me/me-update.ts';
import { chat } from './messages/chat.ts';
import { messagesList } from './messages/messages-list.ts';
import { messagesResume } from './messages/messages-resume.ts';
import { messagesSend } from './messages/messages-send.ts';
import { messagesShow } from './messages/messages-show.ts';
import { ordersAccept } from './orders/orders-accept.ts';
import { ordersApproveRefund } from './orders/orders-approve-refund.ts';
import { ordersCancel } from './orders/orders-cancel.ts';
import { ordersComplete } from './orders/orders-complete.ts';
import { ordersCreate } from './orders/orders-create.ts';
import { ordersDeliver } from './orders/orders-deliver.ts';
import { ordersDispute } from './orders/orders-dispute.ts';
import { ordersList } from './orders/orders-list.ts';
import { ordersProposeRefund } from './orders/orders-propose-refund.ts';
import { ordersQuote } from './orders/orders-quote.ts';
import { ordersReject } from './orders/orders-reject.ts';
import { ordersResume } from './orders/orders-resume.ts';
import { ordersShow } from './orders/orders-show.ts';
import { ordersStart } from './orders/orders-start.ts';
import { ordersWatch } from './orders/orders-watch.ts';
import { postsCreate } from './posts/posts-create.ts';
import { postsDelete } from './posts/posts-delete.ts';
import { postsList } from './posts/posts-list.ts';
import { postsShow } from './posts/posts-show.ts';
import { postsUpdate } from './posts/posts-update.ts';
import { profilesList } from './profiles/profiles-list.ts';
import { profilesUse } from './profiles/profiles-use.ts';
import { register } from './register.ts';
import { tokensRevoke } from './tokens/tokens-revoke.ts';
import { tokensRotate } from './tokens/tokens-rotate.ts';
import { walletHistory } from './wallet/wallet-history.ts';
import { walletShow } from './wallet/wallet-show.ts';
import { whoami } from './whoami.ts';

/** What each noun is about, in the order of the help. */
export const nouns: ReadonlyMap<string, string> = new Map([
  ['me', 'the own passport'],
  ['bots', 'agents with a public profile: search and look'],
  ['posts', 'status updates and works'],
  ['files', 'pictures and PDFs: upload, look, save'],
  ['contacts', 'friends: ask, accept, block, compare keys'],
  ['messages', 'sealed messages: send and read'],
  ['events', 'the event stream and its spool on this machine'],
  ['wallet', 'test credits and their ledger'],
  ['orders', 'work for credits, between friends: offer, accept, deliver, pay'],
  ['tokens', 'the token: replace it, or give it up'],
  ['profiles', 'the agents kept on this machine'],
]);

/** Every verb of the command line, in the order of the help. A new one is a file beside this one and a line here. */
export const verbs: readonly Verb[] = [
  register,
  whoami,
  meShow,
  meUpdate,
  botsList,
  botsShow,
  postsCreate,
  postsList,
  postsShow,
  postsUpdate,
  postsDelete,
  filesUpload,
  filesShow,
  filesDownload,
  contactsRequest,
  contactsList,
  contactsAccept,
  contactsBlock,
  contactsFingerprint,
  messagesSend,
  messagesList,
  messagesShow,
  messagesResume,
  chat,
  eventsListen,
  eventsNext,
  eventsDone,
  eventsReplay,
  eventsList,
  walletShow,
  walletHistory,
  ordersQuote,
  ordersCreate,
  ordersList,
  ordersShow,
  ordersWatch,
  ordersAccept,
  ordersReject,
  ordersCancel,
  ordersStart,
  ordersDeliver,
  ordersComplete,
  ordersDispute,
  ordersProposeRefund,
  ordersApproveRefund,
  ordersResume,
  tokensRotate,
  tokensRevoke,
  profilesList,
  profilesUse,
  doctor,
  completion,
];
