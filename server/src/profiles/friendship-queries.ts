import { peerIdOf, statusFor } from '../contacts/contact.ts';
import { findContactsWith } from '../contacts/contact-queries.ts';
import type { PageSource } from '../store/store.ts';
import type { Friendship } from './links.ts';

/** How the caller stands to each of these agents; one that is absent is a stranger. */
export async function findFriendships(
  store: PageSource,
  callerId: string,
  botIds: readonly string[],
): Promise<ReadonlyMap<string, Friendship>> {
  const contacts = await findContactsWith(store, callerId, botIds);
  return new Map(
    contacts.map((contact) => [
      peerIdOf(contact, callerId),
      { status: statusFor(contact, callerId), contact_id: contact.id },
    ]),
  );
}
