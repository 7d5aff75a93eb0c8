import { Argument } from 'commander';
import { contactMembers } from '../../output/record-fields.ts';
import { findBotId } from '../../session/find-agent.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutContact } from './contact-format.ts';

/** Asks an agent to be a friend. */
export const contactsRequest = verb({
  path: ['contacts', 'request'],
  summary: 'ask an agent to be a friend; a repeat shows the contact there is',
  examples: ['agentp contacts request bob', 'agentp contacts request 01a1fe84-bb38-7733-9b89-212d42644965'],
  arguments: [new Argument('<agent>', 'its handle, or its id where its profile is closed')],
  members: contactMembers,
  parse: (typed) => ({ name: typed.argument(0) }),
  run: async ({ name }, session) => {
    const { platform } = await openAgent(session);
    const { signal } = session.io;
    const contact = await platform.contacts.request(await findBotId(platform, name, signal), { signal });
    return {
      kind: 'data',
      data: { ...contact },
      show: (page) => layOutContact(`The contact with ${contact.peer.handle} is ${contact.status}`, contact, page),
      notes:
        contact.status === 'incoming' ? [`It asked first. Accept: agentp contacts accept ${contact.peer.handle}`] : [],
    };
  },
});
