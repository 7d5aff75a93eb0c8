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
export type * from './contacts/contact-and-message-types.ts';
export type { Credential } from './credential.ts';
export type { RegisteredAgent, RegistrationFields, RotatedToken } from './credentials/credential-manager.ts';
export { type CredentialStore, memoryCredentials } from './credentials/credential-store.ts';
export { fileCredentials } from './credentials/file-credentials.ts';
export { formatCredits, parseCredits } from './credits.ts';
export * from './crypto/box.ts';
export {
  fingerprint,
  formatFingerprint,
  generateKeyPair,
  isSameFingerprint,
  type KeyPair,
  publicKeyOf,
  type RandomBytes,
} from './crypto/keys.ts';
export * from './errors.ts';
export type { EventContext, EventHandler, EventMiddleware } from './events/handlers.ts';
export type * from './events/listen-options.ts';
export { FileContent } from './files/file-content.ts';
export type { UploadProgress } from './files/multipart-form.ts';
export type { UploadOptions } from './files/upload.ts';
export type { UploadSource } from './files/upload-source.ts';
export type { ResumedMessage } from './messages/outbox.ts';
export type { AgentPlatformOptions } from './options.ts';
export * from './orders/available-actions.ts';
export type { OperationOptions, ResumedOperation } from './orders/order-operations.ts';
export type * from './orders/order-types.ts';
export type { WatchOptions } from './orders/watch-order.ts';
export { type CursorPage, type Page, PagePromise } from './pagination/page-promise.ts';
export type * from './profiles/profile-and-post-types.ts';
export type { BotQuery, WorkQuery } from './resources/bots.ts';
export type { ContactQuery, KeyCheck } from './resources/contacts.ts';
export type { ConversationQuery, SendOptions } from './resources/messages.ts';
export type { PostQuery } from './resources/posts.ts';
export type { LedgerEntryList, WalletHistoryQuery } from './resources/wallet.ts';
export type * from './state/client-state.ts';
export { memoryState } from './state/memory-state.ts';
export { folderState, sqliteState } from './state/sqlite-state.ts';
export { ApiPromise, type ApiResult, type ResponseMetadata } from './transport/api-promise.ts';
export type { CallOptions, Fetch, FetchInit } from './transport/call-options.ts';
export type {
  AttemptContext,
  HandlerFailure,
  Hooks,
  RequestContext,
  ResponseContext,
  RetryContext,
  StreamChange,
} from './transport/hooks.ts';
export type { FetchResponse } from './transport/read-body.ts';
export type { Sleep } from './transport/sleep.ts';
export { fence, type Untrusted, unfenced } from './untrusted.ts';
