import { type EventKind, eventKinds } from '@agent-platform/contract/client';
import { isUuid } from '../crypto/uuid.ts';
import { isRecord, parseJson } from '../json.ts';
import type { StoredEvent } from '../state/client-state.ts';

type ServerFrame =
  | {
      readonly kind: 'event';
      readonly event: StoredEvent;
      /** The event id as the server sent it, for the ack. */
      readonly sentId: string;
    }
  /** A frame of a later version, or the response to an ack, which needs no action. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

/** Parses a text frame; never throws. */
export function parseFrame(text: string): ServerFrame {
  const frame = parseJson(text);
  if (!isRecord(frame) || typeof frame['type'] !== 'string') return { kind: 'malformed' };
  if (frame['type'] !== 'event') return { kind: 'other' };
  const { event_id: sentId, kind, payload } = frame;
  if (!isUuid(sentId) || typeof kind !== 'string' || !isRecord(payload)) {
    return { kind: 'malformed' };
  }
  return { kind: 'event', event: { event_id: sentId.toLowerCase(), kind, payload }, sentId };
}

/**
 * The topic of an event. Events with the same topic are handled in the order of their arrival. A contact and its
 * messages share a topic; each order has its own.
 */
export function topicOf({ kind, payload }: StoredEvent): string {
  if (!isRecord(payload)) return 'none';
  const peer = payload['peer'];
  const subject =
    kind === 'order.changed'
      ? payload['order_id']
      : kind === 'message.created'
        ? payload['sender_id']
        : isRecord(peer)
          ? peer['id']
          : undefined;
  return isUuid(subject) ? subject.toLowerCase() : 'none';
}

/**
 * The inbox share that an event counts towards, usually the other agent's. All contact requests count towards one
 * share, because many agents may send them. All orders whose other agent is unknown count towards another share.
 */
export function inboxShareOf(event: StoredEvent, orderPeers: ReadonlyMap<string, string | undefined>): string {
  const topic = topicOf(event);
  if (event.kind === 'contact.requested') return event.kind;
  return event.kind === 'order.changed' ? (orderPeers.get(topic) ?? event.kind) : topic;
}

export function isKnownEventKind(kind: string): kind is EventKind {
  return eventKinds.some((known) => known === kind);
}
