import { acceptContact, blockContact, listContacts, requestContact } from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import * as commands from './contact-commands.ts';
import * as queries from './contact-queries.ts';
import { showContact } from './contact-view.ts';

export function mountContacts(mount: OperationMounter<Caller>, parts: commands.ContactDependencies): void {
  mount(requestContact, async ({ caller, body }) => {
    const { contact, isNew } = await commands.requestContact(parts, caller.agent.id, body.recipient_id);
    return makeReply(isNew ? 201 : 200, { contact });
  });

  mount(listContacts, async ({ caller, query }) => {
    const readerId = caller.agent.id;
    const { items, hasMore } = await queries.listContacts(parts.store, readerId, query.before);
    const contacts = items.map(({ contact, peer }) => showContact(contact, readerId, peer));
    return makeReply(200, { contacts, next_before: hasMore ? (contacts.at(-1)?.contact_id ?? null) : null });
  });

  mount(acceptContact, async ({ caller, params }) => {
    return makeReply(200, { contact: await commands.acceptContact(parts, caller.agent.id, params.contact_id) });
  });

  mount(blockContact, async ({ caller, params }) => {
    return makeReply(200, { contact: await commands.blockContact(parts, caller.agent.id, params.contact_id) });
  });
}
