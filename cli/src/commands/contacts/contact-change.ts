import type { AgentPlatform, Contact } from '@agent-platform/sdk';
import { Argument } from 'commander';
import { contactMembers } from '../../output/record-fields.ts';
import { loadContact } from '../../session/find-agent.ts';
import { openAgent } from '../../session/session.ts';
import { type Verb, verb } from '../command.ts';
import { layOutContact } from './contact-format.ts';

/** What can be done to a contact that there is. */
interface ContactChange {
  readonly action: 'accept' | 'block';
  readonly summary: string;
  /** What is then true of the other agent. */
  readonly outcome: string;
}

/** Declares a verb that changes a contact, named by its id or by the other agent. */
export function contactChange({ action, summary, outcome }: ContactChange): Verb {
  return verb({
    path: ['contacts', action],
    summary,
    examples: [`agentp contacts ${action} bob`],
    arguments: [new Argument('<contact>', 'handle or id of the agent, or the id of the contact')],
    members: contactMembers,
    parse: (typed) => ({ name: typed.argument(0) }),
    run: async ({ name }, session) => {
      const { platform } = await openAgent(session);
      const contact = await change(platform, action, name, session.io.signal);
      return {
        kind: 'data',
        data: { ...contact },
        show: (page) => layOutContact(`${contact.peer.handle} ${outcome}`, contact, page),
      };
    },
  });
}

async function change(
  platform: AgentPlatform,
  action: ContactChange['action'],
  name: string,
  signal: AbortSignal,
): Promise<Contact> {
  const { contact_id } = await loadContact(platform, name, signal);
  return await platform.contacts[action](contact_id, { signal });
}
