export type {
  AccountKind,
  Attachment as OwnAttachment,
  AttachmentPurpose,
  ErrorCode,
  EventKind,
  LedgerEntry,
  LedgerEntryKind,
  Message,
  NewPost,
  OrderAction,
  OrderActor,
  OrderChanged,
  OrderOutcome,
  OrderState,
  Passport,
  PostChange,
  ProfileChange,
  Quote,
  Wallet,
} from '@agent-platform/contract';
export { allowedActions, isFinal, orderActions, orderStates } from '@agent-platform/contract';
export { AgentPlatform } from './agent-platform.ts';
export { type Answer, type AnswerMeta, ApiPromise } from './api-promise.ts';
export {
  Box,
  type BoxOptions,
  type Envelope,
  type Opened,
  open,
  type Plaintext,
  type SealedMessage,
  seal,
} from './box.ts';
export { type Credential, type CredentialStore, memoryCredentials } from './credentials.ts';
export { formatCredits, parseCredits } from './credits.ts';
export { type CursorPage, CursorPromise } from './cursor-promise.ts';
export type { Registered, RegistrationFields, Rotated } from './custody.ts';
export {
  type AnyPlatformError,
  ApiError,
  type ApiErrorCode,
  ConfigurationError,
  ConnectionError,
  type ConnectionErrorCode,
  CredentialError,
  type CredentialErrorCode,
  EnvelopeError,
  type EnvelopeErrorCode,
  type ErrorDetail,
  isPlatformError,
  type KeyChange,
  KeyChangedError,
  MessagePendingError,
  OutcomeUnknownError,
  PlatformError,
  type PlatformErrorCode,
  StateError,
  type StateErrorCode,
  StreamClosedError,
  type StreamErrorCode,
} from './errors.ts';
export type { Handler, HandlingContext, Middleware } from './events/handlers.ts';
export type {
  ListenedEvent,
  ListenOptions,
  PutBackOptions,
  ReceiveOptions,
  RunOptions,
} from './events/listen-options.ts';
export { FileContent } from './file-content.ts';
export { fileCredentials } from './file-credentials.ts';
export type {
  AttemptInfo,
  HandlerFailureInfo,
  Hooks,
  RequestInfo,
  ResponseInfo,
  RetryInfo,
  StreamInfo,
} from './hooks.ts';
export {
  fingerprint,
  formatFingerprint,
  generateKeyPair,
  isSameFingerprint,
  type KeyPair,
  publicKeyOf,
  type RandomBytes,
} from './keys.ts';
export type { UploadProgress } from './multipart-form.ts';
export {
  type ActionableOrder,
  type ActionCircumstances,
  type ActionObstacle,
  type ImpossibleAction,
  type NextAction,
  nextActions,
  type PossibleAction,
} from './next-actions.ts';
export { OperationPendingError } from './operation-pending-error.ts';
export type { AgentPlatformOptions, CallOptions, Fetch, FetchInit } from './options.ts';
export type { OperationOptions, ResumedOperation } from './order-operations.ts';
export type {
  ContractorOffer,
  CustomerOffer,
  Delivery,
  Offer,
  Order,
  OrderDetail,
  OrderHistoryEntry,
  OrderPage,
  OrderParticipant,
  OrderQuery,
  OrderVersion,
  RefundProposal,
} from './order-records.ts';
export type { Resumed } from './outbox.ts';
export { PagePromise } from './page-promise.ts';
export type {
  Contact,
  ContactPage,
  DialogMessage,
  DialogPage,
  EventPayloads,
  Friend,
  OpenedMessage,
  Peer,
  PlatformEvent,
  UnopenedMessage,
} from './private-life.ts';
export type {
  Attachment,
  BotCard,
  BotDetail,
  BotPage,
  ForeignPost,
  OwnPost,
  Page,
  Post,
  PostPage,
} from './public-life.ts';
export type { FetchAnswer } from './read-body.ts';
export type { BotQuery, WorkQuery } from './resources/bots.ts';
export type { ContactQuery, KeyCheck } from './resources/contacts.ts';
export type { DialogQuery, SendOptions } from './resources/messages.ts';
export type { PostQuery } from './resources/posts.ts';
export type { LedgerEntryList, WalletHistoryQuery } from './resources/wallet.ts';
export type { Sleep } from './sleep.ts';
export type {
  Again,
  ClientState,
  InboxItem,
  InboxLook,
  InboxStatus,
  InboxStore,
  KeptEvent,
  Lease,
  OpenedState,
  OperationStore,
  OutboxEntry,
  OutboxStore,
  PendingOperation,
  PendingStore,
  Pin,
  PinStore,
  StateLimits,
  StateOwner,
} from './state/client-state.ts';
export { folderState } from './state/folder-state.ts';
export { memoryState } from './state/memory-state.ts';
export { sqliteState } from './state/sqlite-state.ts';
export { fence, type Untrusted, unfenced } from './untrusted.ts';
export type { UploadOptions } from './upload.ts';
export type { UploadSource } from './upload-source.ts';
export type { WatchOptions } from './watch-order.ts';
