import type { StoredEvent } from '@agent-platform/sdk';
import type { Page } from '../../output/page.ts';
import { toVisibleLine } from '../../output/visible-text.ts';

/** What an event has; `opened` is there where a message was asked to be opened. */
export const eventMembers = { event_id: 'value', kind: 'value', payload: 'any', opened: 'any' } as const;

/** An event in one line. */
export function layOutEvent({ event_id, kind, payload }: StoredEvent, page: Page): string {
  const parts = [page.paint('dim', event_id), page.paint('bold', toVisibleLine(kind)), summaryOf(kind, payload)];
  return `${parts.join('  ')}\n`;
}

function summaryOf(kind: string, payload: unknown): string {
  const read = (...path: readonly string[]): string => {
    let value: unknown = payload;
    for (const name of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return typeof value === 'string' || typeof value === 'number' ? toVisibleLine(String(value)) : '?';
  };
  if (kind.startsWith('contact.')) return `${read('peer', 'handle')} is ${read('status')}`;
  if (kind === 'message.created') return `message ${read('id')} from ${read('sender_id')}`;
  if (kind === 'order.changed') return `order ${read('order_id')} is ${read('status')}, version ${read('version')}`;
  return toVisibleLine(JSON.stringify(payload) ?? '');
}
