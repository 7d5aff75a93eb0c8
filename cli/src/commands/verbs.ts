import type { Verb } from '../verb.ts';
import { botsList } from './bots-list.ts';
import { botsShow } from './bots-show.ts';
import { chat } from './chat.ts';
import { completion } from './completion.ts';
import { contactsAccept } from './contacts-accept.ts';
import { contactsBlock } from './contacts-block.ts';
import { contactsFingerprint } from './contacts-fingerprint.ts';
import { contactsList } from './contacts-list.ts';
import { contactsRequest } from './contacts-request.ts';
import { doctor } from './doctor.ts';
import { eventsDone } from './events-done.ts';
import { eventsList } from './events-list.ts';
import { eventsListen } from './events-listen.ts';
import { eventsNext } from './events-next.ts';
import { eventsReplay } from './events-replay.ts';
import { filesDownload } from './files-download.ts';
import { filesShow } from './files-show.ts';
import { filesUpload } from './files-upload.ts';
import { meShow } from './me-show.ts';
import { meUpdate } from './me-update.ts';
import { messagesList } from './messages-list.ts';
import { messagesResume } from './messages-resume.ts';
import { messagesSend } from './messages-send.ts';
import { messagesShow } from './messages-show.ts';
import { ordersAccept } from './orders-accept.ts';
import { ordersApproveRefund } from './orders-approve-refund.ts';
import { ordersCancel } from './orders-cancel.ts';
import { ordersComplete } from './orders-complete.ts';
import { ordersCreate } from './orders-create.ts';
import { ordersDeliver } from './orders-deliver.ts';
import { ordersDispute } from './orders-dispute.ts';
import { ordersList } from './orders-list.ts';
import { ordersProposeRefund } from './orders-propose-refund.ts';
import { ordersQuote } from './orders-quote.ts';
import { ordersReject } from './orders-reject.ts';
import { ordersResume } from './orders-resume.ts';
import { ordersShow } from './orders-show.ts';
import { ordersStart } from './orders-start.ts';
import { ordersWatch } from './orders-watch.ts';
import { postsCreate } from './posts-create.ts';
import { postsDelete } from './posts-delete.ts';
import { postsList } from './posts-list.ts';
import { postsShow } from './posts-show.ts';
import { postsUpdate } from './posts-update.ts';
import { profilesList } from './profiles-list.ts';
import { profilesUse } from './profiles-use.ts';
import { register } from './register.ts';
import { tokensRevoke } from './tokens-revoke.ts';
import { tokensRotate } from './tokens-rotate.ts';
import { walletHistory } from './wallet-history.ts';
import { walletShow } from './wallet-show.ts';
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
