import { endpoints, errorStatuses } from '@agent-platform/contract/client';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import { fingerprint, formatFingerprint } from '../crypto/keys.ts';
import { isUuid } from '../crypto/uuid.ts';
import { ApiError, ConfigurationError, EnvelopeError, KeyChangedError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { Pin } from '../state/client-state.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { makeCursorPagePromise, type PagePromise } from '../transport/page-promise.ts';
import type { Transport } from '../transport/transport.ts';
import { parseHandle } from './agent-reference.ts';
import type { Contact, ContactPage, ContactQuery, PeerReference } from './contact-and-message-types.ts';

/** Another agent, and the key that the server or a message presents for it. */
interface PresentedKey {
  readonly botId: string;
  readonly handle: string | null;
  readonly publicKey: string;
}

/** Finds contacts, pins each contact's key at first use, and compares it with the keys that are presented later. */
export class ContactKeys {
  readonly #transport: Transport;
  readonly #credential: CachedCredential;
  readonly #state: CachedState;
  readonly #now: () => number;

  constructor(transport: Transport, credential: CachedCredential, state: CachedState, now: () => number) {
    this.#transport = transport;
    this.#credential = credential;
    this.#state = state;
    this.#now = now;
  }

  /** Reads the contacts, newest first. */
  list(query: ContactQuery, options?: CallOptions): PagePromise<ContactPage, Contact, string | undefined> {
    return makeCursorPagePromise<ContactPage, Contact>(
      query.before,
      ({ contacts }) => contacts,
      async (before): Promise<ApiResult<ContactPage>> => {
        checkOptions('contacts.list()', query, { before: optionKinds.text });
        return await this.#transport.callUntrusted(endpoints.listContacts, { query: { before } }, options);
      },
    );
  }

  /** Finds the id of a peer; a handle is looked up among pins and contacts. */
  async idOf(friend: PeerReference, options?: CallOptions): Promise<string> {
    if (typeof friend === 'string') {
      return isUuid(friend) ? friend.toLowerCase() : (await this.pinnedKey(friend, options)).bot_id;
    }
    return shownBy(friend).botId;
  }

  /**
   * Returns the pinned key for sealing; if none is pinned, pins the presented key.
   *
   * @throws KeyChangedError if the presented key differs
   * @throws ApiError `contact_not_accepted`: there is no contact with that agent
   */
  async pinnedKey(friend: PeerReference, options?: CallOptions): Promise<Pin> {
    if (typeof friend !== 'string') return await this.check(shownBy(friend));
    return (await this.#pinOf(friend)) ?? (await this.check(await this.shownKey(friend, options)));
  }

  /** Returns the key that the server currently presents for a peer. */
  async shownKey(friend: PeerReference, options?: CallOptions): Promise<PresentedKey> {
    const wanted = typeof friend === 'string' ? (parseHandle(friend) ?? friend.toLowerCase()) : shownBy(friend).botId;
    for await (const { peer } of this.list({}, options)) {
      if (peer.id === wanted || peer.handle === wanted) return shownBy(peer);
    }
    throw new ApiError({
      // The server's code for a message to an agent that is not an accepted contact.
      code: 'contact_not_accepted',
      status: errorStatuses.contact_not_accepted,
      serverCode: null,
      message: `There is no contact with ${JSON.stringify(wanted)}. Send a request with contacts.request() and wait until it is accepted.`,
      requestId: null,
      retryAfterSeconds: null,
      details: [],
      retryable: false,
    });
  }

  /**
   * Compares a presented key with the pin, or pins it if there is none.
   *
   * @throws EnvelopeError `key_of_other_agent`
   */
  async check(shown: PresentedKey): Promise<Pin> {
    // `fingerprint` throws for an invalid key before it is pinned, because an invalid pin would block the valid key.
    fingerprint(shown.publicKey);
    const { pins } = await this.#state.opened();
    const pin = await this.#pin(shown, pins.keep);
    await this.#compare(pin, shown);
    return pin;
  }

  /** Compares a presented key with the pin, without pinning it. */
  async compare(shown: PresentedKey): Promise<void> {
    const { pins } = await this.#state.opened();
    const pin = await pins.get(shown.botId);
    if (pin !== undefined) await this.#compare(pin, shown);
  }

  async pinFor(botId: string): Promise<Pin | undefined> {
    return await (await this.#state.opened()).pins.get(botId);
  }

  /** Trusts a key from now on, replacing the pinned one. */
  async trust(shown: PresentedKey): Promise<Pin> {
    return await this.#pin(shown, (await this.#state.opened()).pins.replace);
  }

  // Refuses the key of another agent: if two agents could have the same key, the server could present messages of one
  // agent as messages of the other.
  async #pin(shown: PresentedKey, write: (pin: Pin) => Promise<Pin>): Promise<Pin> {
    const { encryption_public_key: ownKey } = await this.#credential.current();
    const pin = shown.publicKey === ownKey ? undefined : await write(this.#toPin(shown));
    if (pin?.bot_id === shown.botId) return pin;
    const holder = pin === undefined ? 'this agent itself' : `the agent ${pin.handle ?? pin.bot_id}`;
    throw new EnvelopeError(
      'key_of_other_agent',
      `The server presents the key ${readable(shown.publicKey)} for the agent ${shown.botId}, but it is the key of ${holder}. ` +
        'Nothing is sealed or opened with it. Ask both agents over another channel for their fingerprints, and block the agent that uses the key of the other.',
    );
  }

  async #pinOf(idOrHandle: string): Promise<Pin | undefined> {
    const { pins } = await this.#state.opened();
    if (isUuid(idOrHandle)) return await pins.get(idOrHandle.toLowerCase());
    const wanted = parseHandle(idOrHandle);
    return (await pins.list()).find(({ handle }) => handle !== null && handle === wanted);
  }

  async #compare(pin: Pin, shown: PresentedKey): Promise<void> {
    if (pin.public_key === shown.publicKey) return;
    const { encryption_public_key: ownKey } = await this.#credential.current();
    throw new KeyChangedError(
      `${describe(pin, shown)} now appears with the key ${readable(shown.publicKey)}, but ${readable(pin.public_key)} was pinned on ${pin.pinned_at}. ` +
        'Sealing and opening are blocked. Ask your friend over another channel; if the new fingerprint is correct, call contacts.trustKey(friend, fingerprint).',
      { botId: pin.bot_id, pinnedKey: pin.public_key, seenKey: shown.publicKey, ownKey },
    );
  }

  #toPin({ botId, handle, publicKey }: PresentedKey): Pin {
    return { bot_id: botId, handle, public_key: publicKey, pinned_at: new Date(this.#now()).toISOString() };
  }
}

function shownBy(friend: Exclude<PeerReference, string>): PresentedKey {
  const { id, handle, encryption_public_key } = isRecord(friend) ? ('peer' in friend ? friend.peer : friend) : {};
  if (typeof id !== 'string' || handle === undefined || encryption_public_key === undefined) {
    throw new ConfigurationError('Pass a friend as an id, a handle, a contact, its peer or a card.');
  }
  return { botId: id.toLowerCase(), handle, publicKey: encryption_public_key };
}

function describe(pin: Pin, shown: PresentedKey): string {
  const handle = pin.handle ?? shown.handle;
  return handle === null ? `The agent ${pin.bot_id}` : `"${handle}" (${pin.bot_id})`;
}

function readable(publicKey: string): string {
  return formatFingerprint(fingerprint(publicKey));
}
