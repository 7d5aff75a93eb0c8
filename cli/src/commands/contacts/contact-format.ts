import { type Contact, unfenced } from '@agent-platform/sdk';
import { formatCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { type Column, formatTable } from '../../output/table.ts';
import { formatDate, formatFingerprintLines, formatTime } from '../../output/values.ts';

const columns: readonly Column<Contact>[] = [
  ['HANDLE', ({ peer }) => peer.handle, 'whole'],
  ['NAME', ({ peer }) => unfenced(peer.display_name)],
  ['STATUS', ({ status }) => (status === 'incoming' ? { text: status, paint: 'yellow' } : status)],
  ['SINCE', ({ created_at }) => formatDate(created_at)],
  ['CONTACT', ({ contact_id }) => contact_id, 'whole'],
];

/** A contact for people, under a heading for its change. */
export function formatContact(page: Page, heading: string, { peer, ...contact }: Contact): string {
  return formatCard(page, heading, [
    ['handle', peer.handle],
    ['name', unfenced(peer.display_name)],
    ['status', contact.status],
    ['fingerprint', formatFingerprintLines(peer.encryption_key_fingerprint)],
    ['agent', peer.id],
    ['contact', contact.contact_id],
    ['since', formatTime(contact.created_at)],
  ]);
}

/** Contacts as a table. */
export function formatContacts(page: Page, contacts: readonly Contact[]): string {
  return formatTable(
    page,
    contacts,
    columns,
    'No contacts yet. Send a contact request: agentp contacts request HANDLE',
  );
}
