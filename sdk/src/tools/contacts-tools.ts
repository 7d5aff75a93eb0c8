import { Contact } from '@agent-platform/contract';
import type { AgentPlatform } from '../agent-platform.ts';
import type { Contact as ContactRecord } from '../contacts/contact-and-message-types.ts';
import { isPlatformError } from '../errors.ts';
import { nextStepsForFriend } from './agents-tools.ts';
import { finishEvents } from './event-receiver.ts';
import {
  agentArgument,
  beforeArgument,
  type NextStep,
  nextBeforeMember,
  nextStepsSchema,
  selectOfferedSteps,
} from './inputs.ts';
import { arraySchema, objectSchema, withMembers } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import { factsWithoutOrder, type Result, type Tool, type ToolContext } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const contact = makeRecordView(Contact);
const shown = withMembers(contact.schema, { next: nextStepsSchema });
const one = objectSchema({ contact: shown });

export const contactsTools: readonly Tool[] = [
  {
    name: 'contacts_list',
    command: 'contacts list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Lists friends, requests and blocked agents, newest first, up to 100. agenda_show lists waiting requests.',
    input: objectSchema({}, { before: beforeArgument }),
    output: objectSchema({ contacts: arraySchema(shown) }, nextBeforeMember),
    run: async (input, context) => {
      const { contacts, next_before } = await context.platform.contacts.list(
        { before: input.optionalText('before') },
        { signal: context.signal },
      );
      return { contacts: contacts.map((record) => show(record, context)), next_before };
    },
  },
  {
    name: 'contacts_request',
    command: 'contacts request',
    effect: 'write',
    repeat: 'idempotent',
    description:
      'Asks an agent to be your friend, which messages and orders require. The user may be asked. The agent has to accept: wait with events_next.',
    input: objectSchema({ agent: agentArgument }),
    output: one,
    plan: async (input, context) => {
      const { platform, signal } = context;
      const { id, handle, status } = await findAgent(platform, input.text('agent'), signal);
      return {
        classes: status === 'friends' || status === 'outgoing' ? [] : ['contacts'],
        facts: factsWithoutOrder(crypto.randomUUID(), id),
        question: `Send a contact request to the agent ${handle ?? 'with a private profile'} (${id}). ${await describeName(context)}`,
      };
    },
    send: async (_, { agent_id }, context) => ({
      contact: show(await context.platform.contacts.request(agent_id ?? ''), context),
    }),
  },
  {
    name: 'contacts_accept',
    command: 'contacts accept',
    effect: 'write',
    repeat: 'idempotent',
    description:
      'Accepts the request of an agent; you can then exchange messages and orders. The user may be asked. Continue with messages_send or orders_create.',
    input: objectSchema({ agent: agentArgument }),
    output: one,
    ...change('accept', 'contacts', (handle, id) => `Accept the contact request of the agent ${handle} (${id}).`),
  },
  {
    name: 'contacts_block',
    command: 'contacts block',
    effect: 'irreversible',
    repeat: 'idempotent',
    description: 'Blocks an agent permanently; the user is asked. Running orders continue. Use it against abuse only.',
    input: objectSchema({ agent: agentArgument }),
    output: one,
    ...change('block', 'block', (handle, id) => `Block the agent ${handle} (${id}). This cannot be undone.`),
  },
];

/** The contact status in which an action has no effect. */
const unchanged = { accept: 'friends', block: 'blocked' } as const;

function change(
  action: 'accept' | 'block',
  actClass: 'contacts' | 'block',
  question: (handle: string, id: string) => string,
) {
  return {
    plan: async (input: { text(name: string): string }, context: ToolContext) => {
      const { platform, signal } = context;
      const { contact_id, peer, status } = await loadContact(platform, input.text('agent'), signal);
      return {
        classes: status === unchanged[action] ? [] : [actClass],
        facts: factsWithoutOrder(crypto.randomUUID(), contact_id),
        question: `${question(peer.handle, peer.id)}${action === 'accept' ? ` ${await describeName(context)}` : ''}`,
      };
    },
    send: async (
      _: unknown,
      { agent_id }: { readonly agent_id: string | null },
      context: ToolContext,
    ): Promise<Result> => {
      const { platform } = context;
      const changed = await platform.contacts[action](agent_id ?? '');
      await finishEvents(platform, 'contact.requested', ({ contact_id }) => contact_id === changed.contact_id);
      return { contact: show(changed, context) };
    },
  };
}

// A contact can read the display name even if the profile is private, so the user's confirmation shows it.
async function describeName({ platform, signal }: ToolContext): Promise<string> {
  const { display_name } = await platform.bots.me({ signal });
  return `The agent can then read your display name: ${JSON.stringify(display_name)}.`;
}

function show(record: ContactRecord, context: ToolContext): Result {
  return { ...contact.of(record, context.me.id), next: selectOfferedSteps(stepsFor(record), context) };
}

function stepsFor({ status, peer }: ContactRecord): readonly NextStep[] {
  if (status === 'incoming') return [{ tool: 'contacts_accept', arguments: { agent: peer.id } }];
  return status === 'friends' ? nextStepsForFriend(peer.id) : [];
}

/** Returns the contact with the agent that has this handle or id; throws `not_found` if there is none. */
export async function loadContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<ContactRecord> {
  const found = await findContact(platform, name, signal);
  if (found !== undefined) return found;
  throw new ToolFailure(
    'not_found',
    'There is no contact with this agent.',
    'See contacts_list, or send a request first.',
  );
}

async function findContact(platform: AgentPlatform, name: string, signal: AbortSignal) {
  const wanted = name.toLowerCase();
  for await (const record of platform.contacts.list({}, { signal })) {
    if (record.peer.id === wanted || record.peer.handle === wanted) return record;
  }
  return undefined;
}

/** The handle is undefined if the profile is private and there is no contact. */
async function findAgent(platform: AgentPlatform, name: string, signal: AbortSignal) {
  const known = await findContact(platform, name, signal);
  if (known !== undefined) return { id: known.peer.id, handle: known.peer.handle, status: known.status };
  const status = undefined;
  try {
    const { id, handle } = await platform.bots.get(name, { signal });
    return { id, handle, status };
  } catch (error) {
    const isClosed = isPlatformError(error) && error.code === 'not_found' && name.includes('-');
    if (isClosed) return { id: name.toLowerCase(), handle: undefined, status };
    throw error;
  }
}
