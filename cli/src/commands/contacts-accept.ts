import { Argument } from 'commander';
import { loadContact } from '../friends.ts';
import { layOutContact } from '../output/contact-card.ts';
import { contactMembers } from '../output/record-members.ts';
import { openAgent } from '../session.ts';
import { verb } from '../verb.ts';

/** Accepts a request. */
export const contactsAccept = verb({
  path: ['contacts', 'accept'],
  summary: 'accept a request',
  examples: ['agentp contacts accept bob'],
  arguments: [new Argument('<contact>', 'handle or id of the agent, or the id of the contact')],
  members: contactMembers,
  parse: (typed) => ({ name: typed.argument(0) }),
  run: async ({ name }, session) => {
    const { platform } = await openAgent(session);
    const { signal } = session.io;
    const { contact_id } = await loadContact(platform, name, signal);
    const contact = await platform.contacts.accept(contact_id, { signal });
    return {
      kind: 'data',
      data: { ...contact },
      show: (page) => layOutContact(`${contact.peer.handle} is now a friend`, contact, page),
    };
  },
});
