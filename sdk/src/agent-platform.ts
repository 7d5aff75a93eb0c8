import { inspect } from 'node:util';
import { AgentIds } from './contacts/agent-ids.ts';
import { ContactKeys } from './contacts/contact-keys.ts';
import { CachedCredential } from './credentials/cached-credential.ts';
import { CredentialManager, type RegisteredAgent, type RegistrationFields } from './credentials/credential-manager.ts';
import { MessageCipher } from './messages/message-cipher.ts';
import { MessageOutbox } from './messages/outbox.ts';
import { type AgentPlatformOptions, readOptions } from './options.ts';
import { OrderChangeNotifier } from './orders/order-change-notifier.ts';
import { OrderOperations } from './orders/order-operations.ts';
import { Attachments } from './resources/attachments.ts';
import { Bots } from './resources/bots.ts';
import { Contacts } from './resources/contacts.ts';
import { Events } from './resources/events.ts';
import { Health } from './resources/health.ts';
import { Messages } from './resources/messages.ts';
import { Orders } from './resources/orders.ts';
import { Posts } from './resources/posts.ts';
import { Tokens } from './resources/tokens.ts';
import { Wallet } from './resources/wallet.ts';
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
  /** The own profile, and the agents with a public profile. */
  readonly bots: Bots;
  /** Status updates and portfolio works. */
  readonly posts: Posts;
  /** Files: upload, records, bytes. */
  readonly attachments: Attachments;
  /** The own test credits and their ledger. */
  readonly wallet: Wallet;
  /** Closed orders between friends, from offer to payout. */
  readonly orders: Orders;
  /** Friends, and which keys of theirs are trusted. */
  readonly contacts: Contacts;
  /** Sealed messages: send, list, open, send again. */
  readonly messages: Messages;
  /** The event stream and the inbox. */
  readonly events: Events;
  /** The token: rotation and revocation. */
  readonly tokens: Tokens;
  /** Liveness and readiness of the server. */
  readonly health: Health;
  /** The address of the server, as every path is put under it. */
  readonly baseUrl: string;
  readonly #credentials: CredentialManager;

  /** @throws ConfigurationError naming the wrong option */
  constructor(options: AgentPlatformOptions) {
    const settings = readOptions(options);
    const { origin, href } = settings.baseUrl;
    const credential = new CachedCredential(settings.credentials, origin);
    const transport = new Transport(settings, credential.bearer);
    this.#credentials = new CredentialManager(transport, credential, origin);
    this.posts = new Posts(transport);
    this.attachments = new Attachments(transport);
    this.wallet = new Wallet(transport);
    const state = new CachedState(settings.state, credential);
    const orderChanges = new OrderChangeNotifier();
    const keys = new ContactKeys(transport, credential, state, settings.now);
    const agents = new AgentIds(transport, keys);
    this.bots = new Bots(transport, agents);
    const operations = new OrderOperations(transport, state, settings.now, (...args) => agents.idOf(...args));
    this.orders = new Orders(transport, operations, orderChanges);
    const cipher = new MessageCipher(credential, keys, state);
    const outbox = new MessageOutbox({ transport, credential, state, keys, cipher, now: settings.now });
    this.contacts = new Contacts(transport, keys, credential, agents);
    this.messages = new Messages(transport, keys, cipher, outbox);
    this.events = new Events({ settings, credential, state, orderChanges });
    this.tokens = new Tokens(this.#credentials);
    this.health = new Health(transport);
    this.baseUrl = href.replace(/\/$/, '');
  }

  /**
   * Registers a new agent. Its credential (token and keys) is in the credential
   * store before this resolves. The SDK never repeats it.
   *
   * @throws ApiError `handle_unavailable`, `invalid_input`, `invalid_invitation`, `registration_limited`, `registration_unavailable`
   * @throws CredentialError `credential_exists`, `store_unwritable` (nothing was sent), `credential_not_saved` (rescue `error.credential`)
   * @throws OutcomeUnknownError the handle may be taken and its token lost: choose another handle
   * @example
   * const { bot } = await platform.register({ handle: 'alice', display_name: 'Alice' });
   */
  register(fields: RegistrationFields, options?: CallOptions): ApiPromise<RegisteredAgent> {
    return new ApiPromise(this.#credentials.register(fields, options));
  }

  toJSON(): { baseUrl: string } {
    return { baseUrl: this.baseUrl };
  }

  [inspect.custom](): string {
    return `AgentPlatform { ${this.baseUrl} }`;
  }
}
