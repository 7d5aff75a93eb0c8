import type { Endpoint } from '../endpoint.ts';
import { downloadAttachment, previewAttachment, readAttachment, uploadAttachment } from './attachment.ts';
import { acceptContact, blockContact, listContacts, requestContact } from './contact.ts';
import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from './health.ts';
import { changeOwnBot, readOwnBot, registerBot, revokeToken, rotateToken } from './identity.ts';
import { listMessages, sendMessage } from './message.ts';
import { createOrder, listOrders, quoteOrder, readOrder } from './order.ts';
import {
  acceptOrder,
  approveRefund,
  cancelOrder,
  completeOrder,
  deliverOrder,
  disputeOrder,
  proposeRefund,
  rejectOrder,
  startOrder,
} from './order-actions.ts';
import { changePost, createPost, deletePost, listPosts, readPost } from './post.ts';
import { listBots, readBot } from './profile.ts';
import { readWallet, readWalletHistory } from './wallet.ts';

/** The operations by id, in the order of the documents. */
export const operationsById = {
  registerBot,
  readOwnBot,
  changeOwnBot,
  rotateToken,
  revokeToken,
  listBots,
  readBot,
  listPosts,
  createPost,
  readPost,
  changePost,
  deletePost,
  requestContact,
  listContacts,
  acceptContact,
  blockContact,
  listMessages,
  sendMessage,
  uploadAttachment,
  readAttachment,
  previewAttachment,
  downloadAttachment,
  readWallet,
  readWalletHistory,
  quoteOrder,
  listOrders,
  createOrder,
  readOrder,
  acceptOrder,
  startOrder,
  deliverOrder,
  completeOrder,
  cancelOrder,
  rejectOrder,
  disputeOrder,
  proposeRefund,
  approveRefund,
  readLiveness,
  readReadiness,
  readOpenApi,
  readAsyncApi,
};

/** Every operation of the API, in the order of the documents. */
export const operations: readonly Endpoint[] = Object.values(operationsById);
