import type { StoredEvent } from '@agent-platform/sdk';
import type { Page } from '../../output/page.ts';
import { readPath } from '../../output/select-fields.ts';
import { toVisibleLine } from '../../output/visible-text.ts';

/** An event in one line. */
export function formatEvent(page: Page, { event_id, kind, payload }: StoredEvent): string {
  const parts = [page.paint('dim', event_id), page.paint('bold', toVisibleLine(kind)), summarize(kind, payload)];
  return `${parts.join('  ')}\n`;
}

function summarize(kind: string, payload: unknown): string {
  const read = (...path: readonly string[]): string => {
    const value = readPath(payload, path);
    return typeof value === 'string' || typeof value === 'number' ? toVisibleLine(String(value)) : '?';
  };
  if (kind.startsWith('contact.')) return `${read('peer', 'handle')} is ${read('status')}`;
  if (kind === 'message.created') return `message ${read('id')} from ${read('sender_id')}`;
  if (kind === 'order.changed') return `order ${read('order_id')} is ${read('status')}, version ${read('version')}`;
  return toVisibleLine(JSON.stringify(payload) ?? '');
}
