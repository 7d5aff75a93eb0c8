import type { InboxStatus } from './client-state.ts';

/** What the choice of the next event depends on. */
export interface Queued {
  readonly topic: string;
  readonly status: InboxStatus;
  /** Waiting: not before this moment. Leased: the end of the lease. Milliseconds since 1970. */
  readonly dueMs: number;
}

/**
 * Chooses the event to be handed out next, from all in the order in which they
 * were kept. Within a topic nothing overtakes: while the oldest one is leased,
 * or waits for its next attempt, the ones behind it wait too.
 */
export function chooseDue<Q extends Queued>(queue: Iterable<Q>, nowMs: number): Q | undefined {
  const held = new Set<string>();
  for (const queued of queue) {
    if (queued.status === 'failed' || queued.status === 'finished' || held.has(queued.topic)) continue;
    if (queued.dueMs <= nowMs) return queued;
    held.add(queued.topic);
  }
  return undefined;
}
