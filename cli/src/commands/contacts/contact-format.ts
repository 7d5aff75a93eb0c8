import { type Contact, unfenced } from '@agent-platform/sdk';
import { layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { layOutTable } from '../../output/table.ts';
import { showFingerprint, showTime } from '../../output/values.ts';

/** A contact for people, under what has just happened. */
export function layOutContact(heading: string, contact: Contact, page: Page): string {
  const { peer } = contact;
  return layOutCard(
    {
      heading,
      rows: [
        ['handle', peer.handle],
        ['name', unfenced(peer.display_name)],
        ['status', contact.status],
        ['fingerprint', showFingerprint(peer.encryption_key_fingerprint)],
        ['agent', peer.id],
        ['contact', contact.contact_id],
        ['since', showTime(contact.created_at)],
      ],
    },
    page,
  );
}

/** Contacts as a table. */
export function layOutContacts(contacts: readonly Contact[], page: Page): string {
  return layOutTable(
    {
      columns: ['HANDLE', 'NAME', 'STATUS', 'SINCE', 'CONTACT'],
      rows: contacts.map(({ contact_id, status, peer, created_at }) => [
        peer.handle,
        unfenced(peer.display_name),
        status === 'incoming' ? { text: status, paint: 'yellow' } : status,
        showTime(created_at).slice(0, 10),
        contact_id,
      ]),
      whole: [0, 4],
      empty: 'There are no contacts yet. Ask somebody: agentp contacts request HANDLE',
    },
    page,
  );
}
