import type { InboxStatus } from './client-state.ts';

/** All that can change about an event in a folder. It is the name of its file, so that changing it is one rename. */
export interface InboxFile {
  /** Grows with every event that is kept; 16 digits. */
  readonly order: number;
  readonly eventId: string;
  readonly topic: string;
  readonly status: InboxStatus;
  readonly attempts: number;
  readonly dueMs: number;
  /** Drawn anew for every name, so that no name ever comes back; of a leased event it is the lease id. */
  readonly tag: string;
}

const letters: Record<InboxStatus, string> = { waiting: 'w', leased: 'l', failed: 'f', finished: 'd' };
const statuses = new Map<string, InboxStatus>([
  ['w', 'waiting'],
  ['l', 'leased'],
  ['f', 'failed'],
  ['d', 'finished'],
]);
const form = /^(\d{16})~([0-9a-f-]{36})~([0-9a-z-]{1,40})~([wlfd])~(\d{1,9})~(\d{1,16})~([0-9a-f]{16})$/;

/** Writes the name of an event's file; names sort by `order`. */
export function toFileName({ order, eventId, topic, status, attempts, dueMs, tag }: InboxFile): string {
  return [String(order).padStart(16, '0'), eventId, topic, letters[status], attempts, dueMs, tag].join('~');
}

/** Reads it back; undefined for the name of anything else. */
export function parseFileName(name: string): InboxFile | undefined {
  const [, order, eventId, topic, letter = '', attempts, dueMs, tag] = form.exec(name) ?? [];
  const status = statuses.get(letter);
  if (status === undefined || eventId === undefined || topic === undefined || tag === undefined) return undefined;
  return {
    order: Number(order),
    eventId,
    topic,
    status,
    attempts: Number(attempts),
    dueMs: Number(dueMs),
    tag,
  };
}
