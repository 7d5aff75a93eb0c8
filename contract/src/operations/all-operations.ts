import type { Endpoint } from '../endpoint.ts';
import { downloadAttachment, previewAttachment, readAttachment, uploadAttachment } from './attachment.ts';
import { acceptContact, blockContact, listContacts, requestContact } from './contact.ts';
import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from './health.ts';
import { changeOwnBot, readOwnBot, registerBot, revokeToken, rotateToken } from './identity.ts';
import { listMessages, sendMessage } from './message.ts';
import { createOrder, listOrders, quoteOrder, readOrder } from './order.ts';
import * as actions from './order-actions.ts';
import { changePost, createPost, deletePost, listPosts, readPost } from './post.ts';
import { listBots, readBot } from './profile.ts';
import { readWallet, readWalletHistory } from './wallet.ts';

const groups: readonly (readonly Endpoint[])[] = [
  [registerBot, readOwnBot, changeOwnBot, rotateToken, revokeToken],
  [listBots, readBot],
  [listPosts, createPost, readPost, changePost, deletePost],
  [requestContact, listContacts, acceptContact, blockContact],
  [listMessages, sendMessage],
  [uploadAttachment, readAttachment, previewAttachment, downloadAttachment],
  [readWallet, readWalletHistory],
  [quoteOrder, listOrders, createOrder, readOrder],
  [actions.acceptOrder, actions.startOrder, actions.deliverOrder, actions.completeOrder, actions.cancelOrder],
  [actions.rejectOrder, actions.disputeOrder, actions.proposeRefund, actions.approveRefund],
  [readLiveness, readReadiness, readOpenApi, readAsyncApi],
];

/** Every operation of the API, in the order of the documents. */
export const operations = groups.flat();
