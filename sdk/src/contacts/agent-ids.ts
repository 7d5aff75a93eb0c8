import { endpoints, limits } from '@agent-platform/contract/client';
import { AgentNotFoundError } from '../errors.ts';
import { optionKinds } from '../known-options.ts';
import type { BotCard, BotPage } from '../records/profile-and-post-types.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { makePagePromise } from '../transport/page-promise.ts';
import type { Transport } from '../transport/transport.ts';
import { type AgentReference, parseAgentReference } from './agent-reference.ts';
import type { ContactKeys } from './contact-keys.ts';

const knownMax = 1_000;
const pagesMax = 20;

export class AgentIdResolver {
  readonly #transport: Transport;
  readonly #keys: ContactKeys;
  // Entries stay valid, because a handle permanently identifies one agent of the server.
  readonly #known = new Map<string, string>();

  constructor(transport: Transport, keys: ContactKeys) {
    this.#transport = transport;
    this.#keys = keys;
  }

  /**
   * Finds the id of an agent. A handle is looked up among the contacts, then among the public profiles, once per
   * client.
   *
   * @throws AgentNotFoundError no contact and no public profile has the handle
   * @throws ConfigurationError the reference is neither an id nor a handle
   */
  async idOf(reference: AgentReference, options?: CallOptions): Promise<string> {
    const { id, handle } = parseAgentReference(reference);
    if (handle === undefined) return id;
    const known = this.#known.get(handle);
    if (known !== undefined) return known;
    const found = (await this.#findContact(handle, options)) ?? (await this.find(handle, options))?.id;
    if (found === undefined) {
      throw new AgentNotFoundError(
        handle,
        `No contact and no public profile has the handle "${handle}". A private agent can be found only by its id.`,
      );
    }
    this.#remember(handle, found);
    return found;
  }

  /** Finds the handle of a contact; null if no contact has this id. */
  async handleOf(id: string, options?: CallOptions): Promise<string | null> {
    for (const [handle, known] of this.#known) if (known === id) return handle;
    for await (const { peer } of this.#keys.list({}, options)) {
      if (peer.id !== id) continue;
      this.#remember(peer.handle, id);
      return peer.handle;
    }
    return null;
  }

  /** Finds the card of a public agent by its handle. */
  async find(handle: string, options?: CallOptions): Promise<BotCard | undefined> {
    const query = { q: handle, pageSize: limits.pageSizeMax };
    const results = makePagePromise(
      { call: 'bots.find()', query, kinds: { q: optionKinds.text } },
      ({ bots }: BotPage) => bots,
      ({ page, page_size }): Promise<ApiResult<BotPage>> =>
        this.#transport.callUntrusted(endpoints.listBots, { query: { q: handle, page, page_size } }, options),
    );
    let pages = 0;
    // Several pages may be needed, because the search also returns agents that mention the handle in other texts.
    for await (const { bots, next_page } of results.pages()) {
      const bot = bots.find((card) => card.handle === handle);
      if (bot !== undefined) return bot;
      pages += 1;
      if (pages < pagesMax || next_page === null) continue;
      throw new AgentNotFoundError(
        handle,
        `More than ${pagesMax * limits.pageSizeMax} public profiles contain "${handle}", so the search was stopped. Use the id of the agent.`,
      );
    }
    return undefined;
  }

  async #findContact(handle: string, options: CallOptions | undefined): Promise<string | undefined> {
    for await (const { peer } of this.#keys.list({}, options)) if (peer.handle === handle) return peer.id;
    return undefined;
  }

  #remember(handle: string, id: string): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= knownMax && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(handle, id);
  }
}
