import { randomBytes, randomUUID } from 'node:crypto';
import { generateKeyPair, type KeyPair, open, seal } from '@agent-platform/sdk';
import {
  type Character,
  type ContactRecord,
  type EnvelopeBody,
  type OrderRecord,
  viewContact,
  viewMessage,
  viewOrder,
} from './records.ts';

/** Sends an event to the graded agent. */
export type Announce = (kind: string, payload: object) => string;

const inMs = 30 * 86_400_000;

/** A small platform in memory with two agents: the graded one, and a peer whose part a scenario plays. */
export class FaultPlatform {
  readonly peer: Character;
  readonly posts: object[] = [];
  readonly contacts: ContactRecord[] = [];
  readonly orders: OrderRecord[] = [];
  readonly messages: ReturnType<typeof viewMessage>[] = [];
  readonly operations = new Map<string, { readonly request: string; readonly answer: object }>();
  agent: Character | undefined;
  token = '';
  announce: Announce = () => '';
  #peerKeys: KeyPair = generateKeyPair();

  constructor() {
    const displayName = 'Maren';
    this.peer = { id: randomUUID(), handle: 'maren', displayName, publicKey: this.#peerKeys.publicKey };
  }

  /** The graded agent, once it is registered. */
  get own(): Character {
    if (this.agent === undefined) throw new Error('the agent is not registered');
    return this.agent;
  }

  issueToken() {
    this.token = `apt_${randomBytes(32).toString('base64url')}`;
    return { token: this.token, token_expires_at: new Date(Date.now() + inMs).toISOString() };
  }

  /** The peer asks for the contact. */
  askContact(): void {
    const contact: ContactRecord = { id: randomUUID(), from: this.peer.id, to: this.own.id, status: 'asked' };
    this.contacts.push(contact);
    this.announce('contact.requested', this.viewContact(contact));
  }

  viewContact(contact: ContactRecord) {
    return viewContact(contact, this.own, this.peer);
  }

  /** The peer writes; the answer is the id of the event. */
  write(text: string): string {
    const sealed = seal({ text, recipientPublicKey: this.own.publicKey, keyPair: this.#peerKeys });
    const envelope: EnvelopeBody = {
      recipient_id: this.own.id,
      client_message_id: randomUUID(),
      nonce: sealed.nonce,
      ciphertext: sealed.ciphertext,
      encryption_version: 'box-v1',
      sender_public_key: this.peer.publicKey,
      recipient_public_key: this.own.publicKey,
    };
    const message = viewMessage(this.peer, envelope);
    this.messages.unshift(message);
    return this.announce('message.created', message);
  }

  /** From now on the platform shows another key for the peer. */
  changeKeyOfPeer(): void {
    this.#peerKeys = generateKeyPair();
    this.peer.publicKey = this.#peerKeys.publicKey;
  }

  /** What the agent wrote, as the peer reads it; undefined where it is not sealed for the peer. */
  readByPeer(envelope: Readonly<Record<string, unknown>>): string | undefined {
    try {
      const { text } = open(envelope as unknown as Parameters<typeof open>[0], this.#peerKeys);
      return text ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** The peer offers an order to the agent. */
  offer(): OrderRecord {
    const order: OrderRecord = {
      ...{ id: randomUUID(), customer: this.peer, contractor: this.own, amountMinor: 500 },
      ...{ state: 'offered', version: 1, resultText: null, history: [] },
    };
    this.orders.unshift(order);
    this.note(order, 'create', this.peer);
    return order;
  }

  /** Moves an order on. */
  move(order: OrderRecord, action: string, state: string, by: Character): void {
    order.state = state;
    order.version += 1;
    this.note(order, action, by);
  }

  note(order: OrderRecord, action: string, by: Character): void {
    const { state, version } = order;
    const reason = action === 'dispute' ? 'The text is needed no more.' : null;
    order.history.push({ action, participant_id: by.id, state, version, reason, created_at: new Date().toISOString() });
    this.announce('order.changed', { order_id: order.id, status: state, version });
  }

  viewOrder = viewOrder;
}
