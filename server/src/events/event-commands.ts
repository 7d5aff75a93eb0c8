import type { EventKind, EventPayload } from '@agent-platform/contract';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/new-id.ts';
import { afterCommit } from '../store/after-commit.ts';
import type { Writer } from '../store/store.ts';

/** What one agent is to hear; the payload is as this receiver sees it. */
export type Announcement = {
  [K in EventKind]: {
    readonly receiverId: string;
    readonly kind: K;
    readonly payload: EventPayload<K>;
    /** The other agent of a contact or message event, null for an order: what a block between the two drops (D-28). */
    readonly peerId: string | null;
    /** When the content is gone and nothing is delivered any more (D-29); null for never. */
    readonly expiresAt: Date | null;
  };
}[EventKind];

/** Writes events in the transaction that causes them; their receivers are woken after its commit. */
export type Announce = (writer: Writer, announcements: readonly Announcement[]) => Promise<void>;

/** Tells the connections of these agents, on every instance, that there is something to read. A lost call costs time, never an event. */
export type Wake = (receiverIds: readonly string[]) => void;

/** Makes the one way to announce events. */
export function announcer(clock: Clock, wake: Wake): Announce {
  return async (writer, announcements) => {
    if (announcements.length === 0) return;
    const now = clock();
    await writer
      .insertInto('events')
      .values(
        announcements.map(({ receiverId, kind, payload, peerId, expiresAt }) => ({
          event_id: newId(),
          agent_id: receiverId,
          kind,
          peer_id: peerId,
          payload: JSON.stringify(payload),
          created_at: now,
          expires_at: expiresAt,
        })),
      )
      .execute();
    const receivers = [...new Set(announcements.map(({ receiverId }) => receiverId))];
    afterCommit(writer, () => wake(receivers));
  };
}

/**
 * Drops every personal event between two agents that waits for its ack, in both
 * directions (D-28). Called by a block before it announces itself; events of
 * orders stay.
 */
export async function dropPersonalEvents(writer: Writer, oneId: string, otherId: string): Promise<void> {
  await writer
    .deleteFrom('events')
    .where(({ eb, or }) =>
      or([
        eb.and([eb('agent_id', '=', oneId), eb('peer_id', '=', otherId)]),
        eb.and([eb('agent_id', '=', otherId), eb('peer_id', '=', oneId)]),
      ]),
    )
    .execute();
}
