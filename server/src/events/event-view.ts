import type { AckedFrame, EventKind } from '@agent-platform/contract';

/** An event that waits for its ack; `payload` is the JSON text that the receiver gets. */
export interface WaitingEvent {
  readonly number: number;
  readonly event_id: string;
  readonly kind: EventKind;
  readonly payload: string;
  readonly createdAtMs: number;
}

/** The payload is sent as stored, without being parsed. */
export function formatEventFrame({ event_id, kind, payload }: WaitingEvent): string {
  return `{"type":"event","event_id":"${event_id}","kind":"${kind}","payload":${payload}}`;
}

export function formatAckedFrame(eventId: string): string {
  const frame: AckedFrame = { type: 'acked', event_id: eventId };
  return JSON.stringify(frame);
}
