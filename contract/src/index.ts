export { type FileBytes, isJsonReply, makeFileSchema, mediaTypesOf, NoContent } from './content.ts';
export { buildAsyncApi } from './documents/asyncapi.ts';
export { buildOpenApi, interfaceVersion } from './documents/openapi.ts';
export { renderOrderStates } from './documents/order-diagram.ts';
export {
  decodeBase64,
  encodeBase64,
  encodeHex,
  findEncodedKeyFault,
  findKeyFault,
  type KeyFault,
  type X25519,
} from './encryption-key.ts';
export {
  type AuthRequirement,
  type BodyErrorCodes,
  type BodyOf,
  countsAsWrite,
  defineEndpoint,
  type Endpoint,
  errorsOf,
  type HttpMethod,
  isLimitedByAddress,
  isMutatingMethod,
  type ParamsOf,
  type QueryOf,
  type Repeatability,
  type ReplyOf,
  type ResultOf,
} from './endpoint.ts';
export { type ErrorCode, errorCodes, errorStatuses, isErrorCode, permanentLimitCodes } from './error-codes.ts';
export { type CloseCode, closeCodes, eventKinds, eventsPath, finalCloseCodes } from './event-stream.ts';
export { parseExactJson } from './exact-json.ts';
export { toTypedFileName } from './file-name.ts';
export { parseHttpDate } from './http-date.ts';
export { limits } from './limits.ts';
export { isJsonContentType, parseContentType } from './media-type.ts';
export { findNearestName } from './nearest-name.ts';
export { operations, operationsById } from './operations/all-operations.ts';
export {
  Attachment,
  AttachmentPurpose,
  downloadAttachment,
  previewAttachment,
  readAttachment,
  Upload,
  uploadAttachment,
} from './operations/attachment.ts';
export {
  Bio,
  CharacterDescription,
  DisplayName,
  Fingerprint,
  Handle,
  Passport,
  ProfileChange,
  PublicKey,
  Registration,
  RegistrationResult,
  Specialty,
  TokenGrant,
} from './operations/bot.ts';
export {
  acceptContact,
  blockContact,
  Contact,
  ContactStatus,
  listContacts,
  Peer,
  requestContact,
} from './operations/contact.ts';
export {
  AckedFrame,
  AckFrame,
  EventFrame,
  type EventKind,
  type EventPayload,
  eventPayloads,
  OrderChanged,
  type PlatformEvent,
} from './operations/event.ts';
export { readAsyncApi, readLiveness, readOpenApi, readReadiness } from './operations/health.ts';
export { changeOwnBot, readOwnBot, registerBot, revokeToken, rotateToken } from './operations/identity.ts';
export {
  Envelope,
  encryptionVersion,
  listMessages,
  Message,
  plainTextMembers,
  sendMessage,
} from './operations/message.ts';
export {
  createOrder,
  listOrders,
  NewOrder,
  Order,
  type OrderAction,
  OrderHistoryEntry,
  OrderOutcome,
  OrderState,
  Quote,
  quoteOrder,
  RefundProposal,
  readOrder,
} from './operations/order.ts';
export {
  acceptOrder,
  approveRefund,
  cancelOrder,
  completeOrder,
  deliverOrder,
  disputeOrder,
  proposeRefund,
  rejectOrder,
  startOrder,
} from './operations/order-actions.ts';
export {
  changePost,
  createPost,
  deletePost,
  listPosts,
  NewPost,
  Post,
  PostChange,
  PostPage,
  readPost,
} from './operations/post.ts';
export { BotCard, BotDetail, Friendship, linkNames, listBots, readBot } from './operations/profile.ts';
export {
  AccountKind,
  LedgerEntry,
  LedgerEntryKind,
  readWallet,
  readWalletHistory,
  Wallet,
} from './operations/wallet.ts';
export {
  allowedActions,
  decideOrderAction,
  isFinal,
  type MoneyMovement,
  type OrderActor,
  type OrderDecision,
  type OrderDecisionFields,
  type OrderRefusal,
  type OrderTransition,
  orderTransitions,
  type RequestedAction,
} from './order-machine.ts';
export { orderActions, orderStates } from './order-states.ts';
export { makePageQuery, pageProperties } from './pages.ts';
export { ErrorReply, Nullable, StrictObject, Timestamp, Uuid, uuidWithCode } from './schemas.ts';
