import './supported-node.ts';

export type { OrderActor } from '@agent-platform/contract';
export { allowedActions, isFinal, orderActions, orderStates } from '@agent-platform/contract/client';
export { fileCredentials, folderState, sqliteState } from '#runtime';
export type { AcceptRule, ErrorMiddleware, Middleware } from './agent/agent-handlers.ts';
export type {
  Arrival,
  ContactRequest,
  IncomingMessage,
  MessageMatch,
  OrderTurn,
  RequestMatch,
  TextMessage,
} from './agent/arrivals.ts';
export type { Handler, Predicate } from './agent/handler-chain.ts';
export type { AgentRunOptions } from './agent/run-agent.ts';
export { AgentPlatform } from './agent-platform.ts';
export type { AgentReference } from './contacts/agent-reference.ts';
export type {
  ContactQuery,
  ConversationMessage,
  ConversationPage,
  OpenedMessage,
  PeerReference,
  UnopenedMessage,
} from './contacts/contact-and-message-types.ts';
export type { RegisteredAgent, RegistrationFields, RotatedToken } from './credentials/credential-manager.ts';
export { type CredentialStore, memoryCredentials } from './credentials/credential-store.ts';
export { formatCredits, parseCredits } from './credits.ts';
export { Box, type BoxOptions, type OpenedEnvelope, open, type Plaintext, seal } from './crypto/box.ts';
export {
  fingerprint,
  formatFingerprint,
  generateKeyPair,
  isSameFingerprint,
  publicKeyOf,
} from './crypto/keys.ts';
export type { RandomBytes } from './crypto/random.ts';
export { stableId } from './crypto/stable-id.ts';
export type * from './entry-points/types.ts';
export type { ErrorMeanings } from './error-meanings.ts';
export {
  AgentNotFoundError,
  type AnyPlatformError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  type ConnectionErrorCode,
  CredentialError,
  type CredentialErrorCode,
  EnvelopeError,
  type EnvelopeErrorCode,
  isPlatformError,
  type KeyChange,
  KeyChangedError,
  MessagePendingError,
  OperationPendingError,
  OutcomeUnknownError,
  PlatformError,
  StateError,
  type StateErrorCode,
  StreamClosedError,
  type StreamErrorCode,
} from './errors.ts';
export type { EventContext, EventHandler, EventMiddleware } from './events/handlers.ts';
export type {
  EventItem,
  EventLease,
  LeasedEvent,
  ListenOptions,
  PutBackOptions,
  ReceiveOptions,
  RunOptions,
} from './events/options.ts';
export { verifyEvent } from './events/verify-event.ts';
export { FileContent } from './files/file-content.ts';
export type { UploadProgress } from './files/multipart-form.ts';
export { safeFileName } from './files/safe-file-name.ts';
export type { UploadOptions } from './files/upload.ts';
export type { UploadSource } from './files/upload-source.ts';
export type { ResumedMessage, SendOptions } from './messages/outbox.ts';
export type { OpenOptions, ResumedRequests } from './open/open-options.ts';
export type { AgentPlatformOptions } from './options.ts';
export {
  type ActionAvailability,
  type ActionableOrder,
  type ActionContext,
  type ActionObstacle,
  availableActions,
  type ImpossibleAction,
  type PossibleAction,
} from './orders/available-actions.ts';
export type { OrderActions, OrderActionsIn, TurnState } from './orders/order-actions.ts';
export type { OperationOptions, ResumedOperation } from './orders/order-operations.ts';
export type { OrderRole } from './orders/order-turn.ts';
export type { OrderQuery } from './orders/order-types.ts';
export type { OrderContext, OrderHandler, OrderHandlers } from './orders/order-worker.ts';
export type { WatchOptions } from './orders/watch-order.ts';
export type { WorkOptions } from './orders/work-orders.ts';
export type { BotQuery, WorkQuery } from './resources/bots.ts';
export type { KeyCheck } from './resources/contacts.ts';
export type { ConversationQuery } from './resources/messages.ts';
export type { PostQuery } from './resources/posts.ts';
export type { RawRequest } from './resources/raw-request.ts';
export type { WalletHistoryQuery } from './resources/wallet.ts';
export type {
  ClientState,
  InboxItem,
  InboxSnapshot,
  InboxStatus,
  InboxStore,
  Lease,
  NonceStore,
  OpenedState,
  OperationStore,
  OutboxEntry,
  OutboxStore,
  PendingOperation,
  PendingStore,
  Pin,
  PinStore,
  Postponement,
  ReceivedEvent,
  RememberedEnvelope,
  StateLimits,
  StateOwner,
  StoredEvent,
} from './state/client-state.ts';
export { memoryState } from './state/memory-state.ts';
export { ApiPromise, type ApiResult, type CallResult, type ResponseMetadata } from './transport/api-promise.ts';
export type {
  CallOptions,
  Fetch,
  FetchInit,
  OpenStream,
  StreamConnection,
  StreamEnding,
  StreamOptions,
} from './transport/call-options.ts';
export type {
  AttemptContext,
  EventHandlerFailure,
  HandlerFailure,
  Hooks,
  OrderHandlerFailure,
  RequestContext,
  ResponseContext,
  RetryContext,
  StreamChange,
  TokenRotation,
} from './transport/hooks.ts';
export { PagePromise } from './transport/page-promise.ts';
export type { FetchResponse } from './transport/read-body.ts';
export type { Sleep } from './transport/sleep.ts';
export { fence, unfenced } from './untrusted.ts';
