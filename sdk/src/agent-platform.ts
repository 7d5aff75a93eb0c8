import * as runtime from '#runtime';
import { AgentHandlers, type ErrorMiddleware, type Middleware } from './agent/agent-handlers.ts';
import type { ContactRequest, IncomingMessage, MessageMatch, RequestMatch, TextMessage } from './agent/arrivals.ts';
import type { Handler, Predicate } from './agent/handler-chain.ts';
import { type AgentRunOptions, runAgent } from './agent/run-agent.ts';
import { AgentIdResolver } from './contacts/agent-ids.ts';
import { ContactKeys } from './contacts/contact-keys.ts';
import { inspectSymbol } from './credential.ts';
import { CachedCredential } from './credentials/cached-credential.ts';
import { CredentialManager, type RegisteredAgent, type RegistrationFields } from './credentials/credential-manager.ts';
import { TokenRotator } from './credentials/token-rotator.ts';
import { hostProcess } from './host.ts';
import { MessageCipher } from './messages/message-cipher.ts';
import { MessageOutbox, warnOfRefusedMessages } from './messages/outbox.ts';
import { openFromEnvironment } from './open/environment.ts';
import { type OpenOptions, resolveOpenOptions } from './open/open-options.ts';
import { resumeRequests } from './open/resume-requests.ts';
import { type AgentPlatformOptions, resolveClientOptions } from './options.ts';
import { OrderChangeNotifier } from './orders/order-change-notifier.ts';
import { OrderOperations } from './orders/order-operations.ts';
import { makeOrderPeerFinder } from './orders/order-peers.ts';
import type { OrderHandler, OrderHandlers } from './orders/order-worker.ts';
import type { WorkOptions } from './orders/work-orders.ts';
import { Attachments } from './resources/attachments.ts';
import { Bots } from './resources/bots.ts';
import { Contacts } from './resources/contacts.ts';
import { Events } from './resources/events.ts';
import { Health } from './resources/health.ts';
import { Messages } from './resources/messages.ts';
import { Orders } from './resources/orders.ts';
import { Posts } from './resources/posts.ts';
import { type RawRequest, sendRawRequest } from './resources/raw-request.ts';
import { Tokens } from './resources/tokens.ts';
import { OwnWallet } from './resources/wallet.ts';
import { CachedState } from './state/cached-state.ts';
import { ApiPromise } from './transport/api-promise.ts';
import type { CallOptions } from './transport/call-options.ts';
import { Transport } from './transport/transport.ts';

/**
 * A client for one agent on one server. Creating it has no side effect; the credential
 * store is first read when a call needs the token.
 *
 * @example
 * const platform = new AgentPlatform({
 *   baseUrl: 'https://platform.example',
 *   credentials: fileCredentials('./alice.json'),
 * });
 */
export class AgentPlatform {
  /** The agent's own profile, and agents with a public profile. */
  readonly bots: Bots;
  /** Status updates and portfolio works. */
  readonly posts: Posts;
  /** Files: their upload, records and content. */
  readonly attachments: Attachments;
  /** The agent's test credits and their ledger. */
  readonly wallet: OwnWallet;
  /** Orders between friends, from offer to payout. */
  readonly orders: Orders;
  /** Friends and their trusted keys. */
  readonly contacts: Contacts;
  /** Sealed messages: send, list, open, resend. */
  readonly messages: Messages;
  /** The event stream and the inbox. */
  readonly events: Events;
  /** The token: rotation and revocation. */
  readonly tokens: Tokens;
  /** Liveness and readiness of the server. */
  readonly health: Health;
  /** The server's address, to which API paths are appended. */
  readonly baseUrl: string;
  readonly #transport: Transport;
  readonly #credentials: CredentialManager;
  readonly #state: CachedState;
  readonly #handlers: AgentHandlers;
  /** Printed by `toString()`; known after `open` and `register`. */
  #agent: { readonly handle?: string; readonly folder?: string } = {};

  /** @throws ConfigurationError naming the wrong option */
  constructor(options: AgentPlatformOptions) {
    const settings = resolveClientOptions(options, runtime);
    const { origin, href } = settings.baseUrl;
    const credential = new CachedCredential(settings.credentials, origin, settings);
    const transport = new Transport(settings, credential.bearer);
    this.#transport = transport;
    this.#credentials = new CredentialManager(transport, credential, origin, settings.now);
    const { rotateToken: rotates } = settings;
    const tokenRotator = new TokenRotator({ credential, manager: this.#credentials, settings, rotates });
    this.posts = new Posts(transport);
    this.attachments = new Attachments(transport);
    this.wallet = new OwnWallet(transport);
    const state = new CachedState(settings.state, credential);
    this.#state = state;
    const orderChanges = new OrderChangeNotifier();
    const keys = new ContactKeys(transport, credential, state, settings.now);
    const agents = new AgentIdResolver(transport, keys);
    this.bots = new Bots(transport, agents);
    const operations = new OrderOperations(transport, state, settings.now, (...args) => agents.idOf(...args));
    this.orders = new Orders(transport, operations, { credential, settings, changes: orderChanges, tokenRotator });
    const cipher = new MessageCipher(credential, keys, state);
    const outbox = new MessageOutbox({ transport, credential, state, keys, cipher, now: settings.now });
    this.contacts = new Contacts(transport, keys, credential, agents);
    this.messages = new Messages(transport, keys, cipher, outbox);
    const resumeMessages = async (signal: AbortSignal) => warnOfRefusedMessages(await outbox.resume({ signal }));
    const findOrderPeers = makeOrderPeerFinder(this.orders, credential);
    const notices = { orderChanges, findOrderPeers, tokenRotator, resumeMessages };
    this.events = new Events({ settings, credential, state, ...notices });
    const { contacts, messages, events, orders } = this;
    this.#handlers = new AgentHandlers({ agents, outbox, contacts, messages, events, orders, hooks: settings.hooks });
    this.tokens = new Tokens(this.#credentials);
    this.health = new Health(transport);
    this.baseUrl = href.replace(/\/$/, '');
  }

  /**
   * Opens the agent whose credential and state are in a folder; the first start registers it. Before the promise
   * resolves, pending messages and order commands of an earlier run are sent again. Several processes may share the
   * folder and be killed at any moment; it never contains a second agent.
   *
   * @throws ApiError `handle_unavailable`, `invalid_invitation`, `registration_limited`, `registration_unavailable`, `invalid_input`
   * @throws CredentialError `wrong_handle`, `wrong_origin`: the folder contains another agent; `registration_lost`:
   * the response with the token was lost, use another handle; `no_credential`: the token was revoked or removed;
   * `credential_not_saved` (save `error.credential`), …
   * @throws OutcomeUnknownError the registration was not answered: call `open` again
   * @throws ConnectionError the agent is not registered, and the server cannot be reached
   * @throws ConfigurationError, StateError
   * @example
   * const platform = await AgentPlatform.open({ folder: './alice', handle: 'alice', baseUrl: 'https://platform.example' });
   */
  static async open(options: OpenOptions): Promise<AgentPlatform> {
    const { folder, origin, client, registration, stateLimits, onResumed } = resolveOpenOptions(options);
    const { credentials, state, registerOnce } = runtime.openAgentFolder(folder, stateLimits);
    const platform = new AgentPlatform({ ...client, credentials, state });
    platform.#agent = { handle: registration.handle, folder };
    await registerOnce({ handle: registration.handle, origin }, () => platform.register(registration));
    await resumeRequests(platform, onResumed);
    return platform;
  }

  /**
   * Opens the agent configured by environment variables: `AGENT_PLATFORM_BASE_URL`, `AGENT_PLATFORM_FOLDER`,
   * `AGENT_PLATFORM_HANDLE`, and optionally `AGENT_PLATFORM_DISPLAY_NAME`, `AGENT_PLATFORM_INVITATION`,
   * `AGENT_PLATFORM_WS_URL` and `AGENT_PLATFORM_ALLOW_PLAIN_HTTP` (`true` or `false`). Options override variables.
   *
   * @throws ConfigurationError naming the variable; otherwise as `open`
   * @example
   * const platform = await AgentPlatform.fromEnv({ bio: 'I say what you say.', profile_public: true });
   */
  static async fromEnv(options: Partial<OpenOptions> = {}): Promise<AgentPlatform> {
    return await openFromEnvironment(hostProcess?.env ?? {}, options, (complete) => AgentPlatform.open(complete));
  }

  /**
   * Adds a handler for messages; `run()` calls it. The first handler with a matching filter is called; its `next()`
   * passes the message on. A filter is a function, or the values of `text`, `handle` and `senderId`. A handler
   * that rejects is retried, as described for `events.run`. If it can never succeed, for example because the sender has
   * blocked this agent, the event is finished and the failure is reported.
   *
   * @throws ConfigurationError the handler is not a function, or the filter has an unknown field
   * @example
   * platform.onMessage(async (message) => {
   *   if (message.text !== null) await message.reply(unfenced(message.text));
   * });
   */
  onMessage(handler: Handler<IncomingMessage>): void;
  onMessage(filter: MessageMatch & { readonly text: string | RegExp }, handler: Handler<TextMessage>): void;
  onMessage(filter: MessageMatch | Predicate<IncomingMessage>, handler: Handler<IncomingMessage>): void;
  onMessage(...args: readonly unknown[]): void {
    this.#handlers.onMessage(args);
  }

  /**
   * Adds a handler for contact requests, with filters as in `onMessage`. If no handler matches a request, the option
   * `accept` of `run()` decides.
   *
   * @throws ConfigurationError the handler is not a function, or the filter has an unknown field
   * @example
   * platform.onContactRequest({ handle: /_bot$/ }, async (request) => {
   *   await request.accept();
   * });
   */
  onContactRequest(handler: Handler<ContactRequest>): void;
  onContactRequest(filter: RequestMatch | Predicate<ContactRequest>, handler: Handler<ContactRequest>): void;
  onContactRequest(...args: readonly unknown[]): void {
    this.#handlers.onContactRequest(args);
  }

  /**
   * Adds a handler for orders that wait for this agent; `run()` calls it in the same way as `orders.work`. An
   * agent has one handler per role, or one for both.
   *
   * @throws ConfigurationError this role already has a handler
   * @example
   * platform.onOrder(async (order, { accept, start, deliver }) => {
   *   await (accept?.() ?? start?.() ?? deliver?.({ text: `You ordered: ${unfenced(order.title)}` }));
   * }, { role: 'contractor' });
   */
  onOrder(handler: OrderHandler | OrderHandlers, options: Omit<WorkOptions, 'signal'> = {}): void {
    this.#handlers.onOrder(handler, options);
  }

  /**
   * Adds a middleware around all handlers; the first one added is outermost. If it resolves without calling `next()`,
   * the event is finished.
   *
   * @example
   * platform.use(async ({ kind }, next) => { if (kind !== 'order') await next(); });
   */
  use(middleware: Middleware): void {
    this.#handlers.use(middleware);
  }

  /**
   * Adds a handler for the errors of handlers and middlewares. If it resolves without `next()`, the error counts as
   * handled, even a server outage; `next()` passes it to the next error handler, or finally to the retry rule.
   *
   * @example
   * platform.onError((error, { kind }, next) => { console.error(kind, error); return next(); });
   */
  onError(middleware: ErrorMiddleware): void {
    this.#handlers.onError(middleware);
  }

  /**
   * Receives events and works on orders with the handlers, until the signal aborts or, with `handleSignals`, the
   * process receives SIGINT or SIGTERM. Then waits for the running handlers, closes the client, and resolves.
   *
   * @throws StreamClosedError, ConnectionError, StateError, CredentialError, ConfigurationError, ApiError as
   * `events.run` and `orders.work`
   * @example
   * await platform.run({ handleSignals: true, accept: 'all' });
   */
  async run(options: AgentRunOptions = {}): Promise<void> {
    await runAgent(this.#handlers, options, () => this.close());
  }

  /**
   * Closes the files of the state; a later call opens them again. End `events.run` and other loops first.
   *
   * @example
   * await platform.close();
   */
  async close(): Promise<void> {
    await this.#state.close();
  }

  /** Closes the client at the end of a block: `await using platform = …`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Registers a new agent. Its credential (token and keys) is stored before the promise resolves. The SDK never retries
   * a registration.
   *
   * @throws ApiError `handle_unavailable`, `invalid_input`, `invalid_invitation`, `registration_limited`, `registration_unavailable`
   * @throws CredentialError `credential_exists`, `store_unwritable` (nothing was sent), `credential_not_saved` (save `error.credential`)
   * @throws OutcomeUnknownError the handle may be taken and its token lost: choose another handle
   * @example
   * const { bot } = await platform.register({ handle: 'alice', display_name: 'Alice' });
   */
  register(fields: RegistrationFields, options?: CallOptions): ApiPromise<RegisteredAgent> {
    const name = <T>(answer: T): T => {
      this.#agent = { ...this.#agent, handle: fields.handle };
      return answer;
    };
    return new ApiPromise(this.#credentials.register(fields, options).then(name));
  }

  /**
   * Sends a request to any path of the API, with the same credential, retries and errors as every other call. The data
   * is the JSON of the response, or undefined if there is no body; its texts are untrusted. For unknown paths, only a
   * GET is retried.
   *
   * @throws ApiError any code of the server
   * @throws OutcomeUnknownError a request that must not be repeated was not answered
   * @throws ConfigurationError the path is invalid, or the operation returns a token
   * @throws ConnectionError, CredentialError
   * @example
   * const data = await platform.request({ method: 'GET', path: '/api/v1/orders?page=2' });
   */
  request(request: RawRequest, options?: CallOptions): ApiPromise<unknown> {
    return sendRawRequest(this.#transport, request, options);
  }

  toJSON(): { baseUrl: string } {
    return { baseUrl: this.baseUrl };
  }

  /** The address, with handle and folder if they are known. */
  toString(): string {
    return `AgentPlatform { ${[this.baseUrl, ...Object.values(this.#agent)].join(', ')} }`;
  }

  [inspectSymbol](): string {
    return this.toString();
  }
}
