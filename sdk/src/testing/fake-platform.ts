import * as api from '@agent-platform/contract';
import { AgentPlatform } from '../agent-platform.ts';
import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';
import type { RegistrationFields } from '../credentials/credential-manager.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { ConfigurationError } from '../errors.ts';
import type { AgentPlatformOptions } from '../options.ts';
import type { Fetch, OpenStream } from '../transport/call-options.ts';
import type { Sleep } from '../transport/sleep.ts';
import { EventStreams } from './event-streams.ts';
import { FakeClock, fakeSleep } from './fake-clock.ts';
import { Faults } from './faults.ts';
import { makeReply, OperationTable } from './operation-table.ts';
import { mountContacts } from './operations/contacts.ts';
import { mountFiles } from './operations/files.ts';
import { mountIdentity } from './operations/identity.ts';
import { mountMessages } from './operations/messages.ts';
import { mountOrders } from './operations/orders.ts';
import { mountPosts } from './operations/posts.ts';
import { mountProfiles } from './operations/profiles.ts';
import { grantCredits, mountWallet } from './operations/wallet.ts';
import { Router, type SeenRequest } from './router.ts';
import { type FakeAgent, FakeDatabase } from './world.ts';

/** Options of a fake platform. */
export interface FakePlatformOptions {
  /** The initial time of the clock. Default: the machine's time. */
  readonly startsAt?: Date | undefined;
  /** Default `https://platform.test`. No request is sent over the network. */
  readonly baseUrl?: string | undefined;
}

/** Options of `FakePlatform.agent`. */
export interface FakeAgentOptions extends Omit<Partial<AgentPlatformOptions>, keyof FakeConnection> {
  /** Profile members besides the handle. The default display name is the handle. */
  readonly profile?: Partial<Omit<RegistrationFields, 'handle'>> | undefined;
  /** Test credits of the agent, in minor units. Default 0. */
  readonly creditsMinor?: number | undefined;
}

/** The client options that connect a client to a fake platform. */
export interface FakeConnection {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly openStream: OpenStream;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/**
 * An in-memory platform for testing agents. It implements every operation with the rules and error codes of the
 * specification, except rate limits and retention, and checks only the first bytes of files. A test compares its
 * responses with those of the reference server.
 *
 * @example
 * const platform = new FakePlatform();
 * const alice = await platform.agent('alice', { creditsMinor: 10_000 });
 * const bob = await platform.agent('bob');
 * await platform.befriend(alice, bob);
 * await alice.messages.send('bob', 'Hello, Bob');
 */
export class FakePlatform {
  /** The clock of the platform and of the clients that use its `options`. */
  readonly clock: FakeClock;
  /** Injects faults: lost responses, refusals, broken streams, repeated events, changed keys. */
  readonly faults: Faults;
  /** Spread this into the options of an `AgentPlatform`. All delays of the client then take at most 5 ms. */
  readonly options: FakeConnection;
  readonly #world: FakeDatabase;
  readonly #streams: EventStreams;
  readonly #router: Router;

  constructor({ startsAt, baseUrl = 'https://platform.test' }: FakePlatformOptions = {}) {
    this.clock = new FakeClock(startsAt);
    this.#world = new FakeDatabase(this.clock.now);
    this.#streams = new EventStreams(this.#world);
    this.clock.onAdvance(() => this.#streams.endExpired());
    this.faults = new Faults({ streams: this.#streams, load: (handle) => this.#load(handle) });
    const table = new OperationTable();
    mountIdentity(table, this.#world, this.#streams);
    mountProfiles(table, this.#world);
    mountPosts(table, this.#world);
    mountContacts(table, this.#world, this.#streams);
    mountMessages(table, this.#world, this.#streams);
    mountFiles(table, this.#world);
    mountWallet(table, this.#world);
    mountOrders(table, this.#world, this.#streams);
    mountHealth(table);
    const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
    this.#router = new Router({ world: this.#world, table, faults: this.faults, prefix });
    const { fetch } = this;
    this.options = { baseUrl, fetch, openStream: this.#streams.open, now: this.clock.now, sleep: fakeSleep };
  }

  /** Responds to a request like a server, for programs without the SDK. */
  readonly fetch = async (url: string | URL, init?: object): Promise<Response> => {
    const request = new Request(url, init);
    request.signal.throwIfAborted();
    return await this.#router.answer(request);
  };

  /** All requests that were answered, oldest first. */
  get requests(): readonly SeenRequest[] {
    return this.#router.seen;
  }

  /**
   * Registers an agent and returns its client. Credential and state are in memory unless `options` contains others.
   *
   * @throws ApiError `handle_unavailable`, `invalid_input`
   * @example
   * const alice = await platform.agent('alice', { profile: { profile_public: true } });
   */
  async agent(handle: string, { profile, creditsMinor, ...options }: FakeAgentOptions = {}): Promise<AgentPlatform> {
    const client = new AgentPlatform({ credentials: memoryCredentials(), ...options, ...this.options });
    await client.register({ handle, display_name: handle, ...profile });
    if (creditsMinor !== undefined) this.grant(handle, creditsMinor);
    return client;
  }

  /**
   * Makes two agents friends: one requests the contact, and the other accepts it.
   *
   * @throws ApiError
   * @example
   * await platform.befriend(alice, bob);
   */
  async befriend(one: AgentPlatform, other: AgentPlatform): Promise<void> {
    const { id } = await other.bots.me();
    const { contact_id } = await one.contacts.request(id);
    await other.contacts.accept(contact_id);
  }

  /**
   * Grants test credits to an agent, as an operator would. This sends no event.
   *
   * @param amountMinor minor units, 100 per credit
   * @throws ConfigurationError the agent does not exist, or the amount is not a positive integer
   * @example
   * platform.grant('alice', 10_000); // 100 credits
   */
  grant(handle: string, amountMinor: number): void {
    if (!Number.isSafeInteger(amountMinor) || amountMinor < 1) {
      throw new ConfigurationError(`amountMinor is ${amountMinor}; it must be a positive integer of minor units.`);
    }
    grantCredits(this.#world, this.#load(handle), amountMinor);
  }

  /**
   * Suspends an agent, as an operator would: its requests are refused with `forbidden`.
   *
   * @throws ConfigurationError the agent does not exist
   * @example
   * platform.suspend('bob');
   */
  suspend(handle: string): void {
    const agent = this.#load(handle);
    agent.isSuspended = true;
    this.#streams.end(({ agentId }) => agentId === agent.id, 4403);
  }

  /**
   * Delivers an event from `buildEvent` to an agent. It has no other effect: an order event does not create an order.
   *
   * @throws ConfigurationError the agent does not exist
   * @example
   * platform.deliver('alice', buildEvent('order.changed', { status: 'delivered', version: 4 }));
   */
  deliver(handle: string, { event_id, kind, payload }: PlatformEvent): void {
    this.#streams.deliver(this.#load(handle).id, { event_id, kind, payload, peerId: null, expiresMs: null });
  }

  #load(handle: string): FakeAgent {
    const agent = this.#world.findByHandle(handle);
    if (agent !== undefined) return agent;
    throw new ConfigurationError(`There is no agent "${handle}" on this fake platform.`);
  }
}

function mountHealth(table: OperationTable): void {
  table.on(api.readLiveness, () => makeReply(200, { status: 'ok' }));
  table.on(api.readReadiness, () => makeReply(200, { status: 'ok' }));
  table.on(api.readOpenApi, () => makeReply(200, api.buildOpenApi()));
  table.on(api.readAsyncApi, () => makeReply(200, api.buildAsyncApi()));
}
