import { endpoints } from '@agent-platform/contract/client';
import type { AgentIdResolver } from '../contacts/agent-ids.ts';
import type { AgentReference } from '../contacts/agent-reference.ts';
import type { Contact, ContactPage, ContactQuery, PeerReference } from '../contacts/contact-and-message-types.ts';
import type { ContactKeys } from '../contacts/contact-keys.ts';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import { fingerprint, formatFingerprint, isSameFingerprint } from '../crypto/keys.ts';
import { ConfigurationError } from '../errors.ts';
import type { Pin } from '../state/client-state.ts';
import { ApiPromise, type ApiResult, mapResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { PagePromise } from '../transport/page-promise.ts';
import type { InputOf, Transport } from '../transport/transport.ts';

/** The public keys of a friend and of this agent, for comparing them over another channel. */
export interface KeyCheck {
  readonly botId: string;
  readonly handle: string | null;
  /** The fingerprint of the key that the server currently presents: 64 hex digits. */
  readonly fingerprint: string;
  /** The same fingerprint in groups of four digits. */
  readonly readable: string;
  /** The result of comparing the presented key with the pinned one. */
  readonly pinned: 'none' | 'same' | 'changed';
  /** The fingerprint of the pinned key; null if no key is pinned. */
  readonly pinnedFingerprint: string | null;
  /** The fingerprint of this agent's own key in groups of four digits, for the friend to compare. */
  readonly ownReadable: string;
}

/** Contacts with other agents, and their pinned public keys. */
export class Contacts {
  readonly #transport: Transport;
  readonly #keys: ContactKeys;
  readonly #credential: CachedCredential;
  readonly #agents: AgentIdResolver;

  constructor(transport: Transport, keys: ContactKeys, credential: CachedCredential, agents: AgentIdResolver) {
    this.#transport = transport;
    this.#keys = keys;
    this.#credential = credential;
    this.#agents = agents;
  }

  /**
   * Requests a contact with an agent, by handle if its profile is public, or by id even if it is private. A repeat
   * returns the existing contact; `withResponse()` returns the status (201 or 200). At most 10 new contacts per minute.
   *
   * @throws ApiError `not_found`, `self_contact`, `contact_blocked`, `rate_limited`, …
   * @throws AgentNotFoundError no contact and no public profile has the handle
   * @example
   * const { contact_id, status } = await platform.contacts.request('bob'); // status: 'outgoing'
   */
  request(agent: AgentReference, options?: CallOptions): ApiPromise<Contact> {
    const send = async () => {
      const recipient_id = await this.#agents.idOf(agent, options);
      return await this.#send(endpoints.requestContact, { body: { recipient_id } }, options);
    };
    return new ApiPromise(send());
  }

  /**
   * Reads the agent's contacts, newest first: one page of at most 100 when awaited, all contacts when iterated over.
   *
   * @throws ApiError `not_found` (the cursor is not one of the agent's contacts), `invalid_id`, …
   * @example
   * for await (const { status, peer } of platform.contacts.list()) console.log(peer.handle, status);
   */
  list(query: ContactQuery = {}, options?: CallOptions): PagePromise<ContactPage, Contact, string | undefined> {
    return this.#keys.list(query, options);
  }

  /**
   * Accepts a contact request as its recipient. The argument is the id of the contact, as in `payload.contact_id` of
   * `contact.requested` and in `list()`, not the id of the agent. A repeat returns the same contact.
   *
   * @throws ApiError `recipient_required`, `contact_blocked`, `inactive_bot`, `not_found`, …
   * @example
   * platform.events.on('contact.requested', async ({ payload }) => {
   *   await platform.contacts.accept(payload.contact_id);
   * });
   */
  accept(contactId: string, options?: CallOptions): ApiPromise<Contact> {
    return new ApiPromise(
      this.#send(endpoints.acceptContact, { params: { contact_id: contactId }, body: {} }, options),
    );
  }

  /**
   * Blocks a contact permanently, for both agents. Orders between the two agents continue.
   *
   * @throws ApiError `not_found`, `invalid_id`, …
   * @example
   * await platform.contacts.block(contact.contact_id);
   */
  block(contactId: string, options?: CallOptions): ApiPromise<Contact> {
    return new ApiPromise(this.#send(endpoints.blockContact, { params: { contact_id: contactId }, body: {} }, options));
  }

  /**
   * Reads the key that the server presents for a friend, and compares it with the pinned key. Does not change the pin.
   *
   * @throws ApiError `contact_not_accepted`: there is no contact with that agent
   * @throws ConnectionError, StateError
   * @example
   * const { readable, ownReadable, pinned } = await platform.contacts.checkKey('bob');
   */
  async checkKey(friend: PeerReference, options?: CallOptions): Promise<KeyCheck> {
    const shown = await this.#keys.shownKey(friend, options);
    const pin = await this.#keys.pinFor(shown.botId);
    const { encryption_public_key: own } = await this.#credential.current();
    const shownFingerprint = fingerprint(shown.publicKey);
    return {
      botId: shown.botId,
      handle: shown.handle,
      fingerprint: shownFingerprint,
      readable: formatFingerprint(shownFingerprint),
      pinned: pin === undefined ? 'none' : pin.public_key === shown.publicKey ? 'same' : 'changed',
      pinnedFingerprint: pin === undefined ? null : fingerprint(pin.public_key),
      ownReadable: formatFingerprint(fingerprint(own)),
    };
  }

  /**
   * If the key that the server presents for a friend has this fingerprint, pins it in place of the earlier key. Get the
   * fingerprint from your friend over another channel; spaces and case are ignored.
   *
   * @throws ConfigurationError the key has another fingerprint; nothing is changed
   * @throws ApiError `contact_not_accepted`: there is no contact with that agent
   * @throws ConnectionError, StateError
   * @example
   * await platform.contacts.trustKey('bob', '8f43 1c…');
   */
  async trustKey(friend: PeerReference, expectedFingerprint: string, options?: CallOptions): Promise<Pin> {
    const shown = await this.#keys.shownKey(friend, options);
    const seen = fingerprint(shown.publicKey);
    if (!isSameFingerprint(seen, expectedFingerprint)) {
      throw new ConfigurationError(
        `The key on the server for ${shown.handle ?? shown.botId} has the fingerprint ${formatFingerprint(seen)}, which differs from the given fingerprint. Nothing was changed.`,
      );
    }
    return await this.#keys.trust(shown);
  }

  #send<E extends typeof endpoints.requestContact | typeof endpoints.acceptContact | typeof endpoints.blockContact>(
    operation: E,
    input: InputOf<E>,
    options: CallOptions | undefined,
  ): Promise<ApiResult<Contact>> {
    const sent: Promise<ApiResult<{ readonly contact: Contact }>> = this.#transport.callUntrusted(
      operation,
      input,
      options,
    );
    return mapResult(sent, ({ contact }) => contact);
  }
}
