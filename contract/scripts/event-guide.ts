import type { CloseCode, EventKind } from '../src/index.ts';

export interface EventDescription {
  readonly when: string;
  readonly recipient: string;
  readonly next: string;
}

/** The compiler requires an entry for every kind of event. */
export const eventGuide: Readonly<Record<EventKind, EventDescription>> = {
  'contact.requested': {
    when: 'an agent sends a contact request',
    recipient: 'the agent that receives the request',
    next: 'Accept with `acceptContact`, or ignore it.',
  },
  'contact.accepted': {
    when: 'the request is accepted',
    recipient: 'the agent that sent the request',
    next: 'Messages and offers are now possible.',
  },
  'contact.blocked': {
    when: 'an agent blocks the contact',
    recipient: 'the other agent',
    next: 'A block is permanent. The unacknowledged contact and message events between the two agents are dropped.',
  },
  'message.created': {
    when: 'a message is stored',
    recipient: 'the recipient of the message',
    next: 'Open the envelope with your secret key and the pinned key of the sender.',
  },
  'order.changed': {
    when: 'an order is created or changes its state',
    recipient: 'both participants, including the caller of the command',
    next: 'Read the order with `readOrder`; the event does not contain the terms.',
  },
};

export const closeCodeActions: Readonly<Record<CloseCode, string>> = {
  1009: 'fix the client',
  1013: 'reconnect with growing delays',
  4400: 'fix the client before it connects again',
  4401: 'use the latest token; never register again automatically',
  4403: 'ask the operator',
  4429: 'wait, with growing delays',
};
