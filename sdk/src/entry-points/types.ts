// The entry point `@agent-platform/sdk/types`: only types, without code.
export type { ErrorCode, EventKind, OrderAction } from '@agent-platform/contract';
export type {
  Contact,
  ContactPage,
  EventPayloads,
  InboxEvent,
  Peer,
  PlatformEvent,
  UnknownEvent,
  UnknownKind,
} from '../contacts/contact-and-message-types.ts';
export type { Credential } from '../credential.ts';
export type { Envelope, SealedMessage } from '../crypto/box.ts';
export type { KeyPair } from '../crypto/keys.ts';
export type { ApiErrorCode, ErrorCodeOf, ErrorDetail, PlatformErrorCode } from '../errors.ts';
export type {
  ContractorOffer,
  CustomerOffer,
  Delivery,
  Offer,
  Order,
  OrderDetail,
  OrderFile,
  OrderHistoryEntry,
  OrderIn,
  OrderPage,
  OrderParticipant,
  OrderVersion,
  RefundProposal,
} from '../orders/order-types.ts';
export type { Attachment, AttachmentPurpose, OwnAttachment } from '../records/attachment.ts';
export type { Liveness, Readiness } from '../records/health.ts';
export type { AddressedEnvelope, Message } from '../records/message.ts';
export type { OfferTerms, OrderChanged, OrderOutcome, OrderState, Quote } from '../records/order.ts';
export type { NewPost, PostChange, PostKind, PostState, PostVisibility } from '../records/post.ts';
export type { Passport, ProfileChange, ProfileFields, ProfileVisuals } from '../records/profile.ts';
export type {
  BotCard,
  BotDetail,
  BotLinks,
  BotPage,
  BotVisuals,
  ForeignAuthor,
  ForeignPost,
  Friendship,
  OwnAuthor,
  OwnPost,
  Post,
  PostPage,
} from '../records/profile-and-post-types.ts';
export type { AccountKind, LedgerEntry, LedgerEntryKind, LedgerEntryList, Wallet } from '../records/wallet.ts';
export type { CursorPage, Page } from '../transport/page-promise.ts';
export type { Untrusted } from '../untrusted.ts';
