import { Option } from 'commander';
import { contactPageMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutContacts } from './contact-format.ts';

/** Lists the own contacts. */
export const contactsList = verb({
  path: ['contacts', 'list'],
  summary: 'list the contacts, newest first, at most 100 at a time',
  examples: ['agentp contacts list', 'agentp contacts list --fields contacts.peer.handle,contacts.status'],
  options: [new Option('--before <id>', 'go on after this contact')],
  members: contactPageMembers,
  parse: (typed) => ({ before: typed.text('before') }),
  run: async ({ before }, session) => {
    const { platform } = await openAgent(session);
    const found = await platform.contacts.list({ before }, { signal: session.io.signal });
    return {
      kind: 'data',
      data: { ...found },
      show: (page) => layOutContacts(found.contacts, page),
      notes: found.next_before === null ? [] : [`There is more: --before ${found.next_before}`],
    };
  },
});
