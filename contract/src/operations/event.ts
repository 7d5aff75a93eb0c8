import Type from 'typebox';
import type { eventKinds } from '../event-stream.ts';
import { StrictObject, Uuid } from '../schemas.ts';
import { Contact } from './contact.ts';
import { Message } from './message.ts';
import { OrderState } from './order.ts';

/** The payload of an order event: no terms, no amounts, no files. `status` is the order's `state`. */
export const OrderChanged = StrictObject(
  { order_id: Uuid, status: OrderState, version: Type.Integer({ minimum: 1 }) },
  { title: 'OrderChanged' },
);
export type OrderChanged = Type.Static<typeof OrderChanged>;

/** The payload of each kind of event (§7.14, §7.15). */
export const eventPayloads = {
  'contact.requested': Contact,
  'contact.accepted': Contact,
  'contact.blocked': Contact,
  'message.created': Message,
  'order.changed': OrderChanged,
} as const satisfies Record<(typeof eventKinds)[number], unknown>;

export type EventKind = keyof typeof eventPayloads;

export type EventPayload<K extends EventKind> = Type.Static<(typeof eventPayloads)[K]>;

/** An event of any kind with its payload: a server frame without its `type`. */
export type PlatformEvent = {
  [K in EventKind]: { readonly event_id: string; readonly kind: K; readonly payload: EventPayload<K> };
}[EventKind];

function eventFrame<K extends EventKind>(kind: K) {
  return StrictObject(
    { type: Type.Literal('event'), event_id: Uuid, kind: Type.Literal(kind), payload: eventPayloads[kind] },
    { title: `Event ${kind}` },
  );
}

export const EventFrame = Type.Union([
  eventFrame('contact.requested'),
  eventFrame('contact.accepted'),
  eventFrame('contact.blocked'),
  eventFrame('message.created'),
  eventFrame('order.changed'),
]);
export type EventFrame = Type.Static<typeof EventFrame>;

/** The only frame that a client sends: it confirms that an event received on this connection is stored. */
export const AckFrame = StrictObject({ type: Type.Literal('ack'), event_id: Uuid }, { title: 'Ack' });
export type AckFrame = Type.Static<typeof AckFrame>;

/** The server's response to an ack, sent after the commit. */
export const AckedFrame = StrictObject({ type: Type.Literal('acked'), event_id: Uuid }, { title: 'Acked' });
export type AckedFrame = Type.Static<typeof AckedFrame>;
