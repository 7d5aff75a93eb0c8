import type { Contact } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { dropEventsOfErasedAgent, dropPersonalEvents, type EventAnnouncer } from '../events/event-commands.ts';
import { suspendedRefusal } from '../identity/access-refusals.ts';
import type { Agent } from '../identity/agent.ts';
import { lockAgents } from '../identity/agent-commands.ts';
import { findActiveAgent } from '../identity/agent-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Store, Writer } from '../store/store.ts';
import {
  type ContactDecision,
  decideContactAcceptance,
  decideContactBlock,
  decideContactRequest,
  peerIdOf,
  sortAgentPair,
} from './contact.ts';
import { contactNotFoundRefusal, findContact, findContactBetween, lockContact } from './contact-queries.ts';
import { type StoredContact, showContact } from './contact-view.ts';

export interface ContactDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly announce: EventAnnouncer;
  readonly limitRequests: CommandLimit;
}

// All commands lock the agents in id order and then the contact, so that concurrent commands wait for each other
// instead of deadlocking.

/**
 * Requests a contact. If either agent has already requested one, returns that contact; `isNew` is true if this call
 * created the contact.
 */
export async function requestContact(parts: ContactDependencies, agentId: string, recipientId: string) {
  if (recipientId === agentId) {
    throw new Refusal('self_contact', 'An agent cannot send a contact request to itself. Use the id of another agent.');
  }
  const known = await detectReplay(parts.store, agentId, recipientId);
  if (known !== undefined) return { contact: known, isNew: false };
  const overLimit = await parts.limitRequests.take(agentId);
  if (overLimit !== undefined) throw overLimit;
  const requested = await createContact(parts, agentId, recipientId);
  // If a concurrent request created the contact, this one does not count towards the limit.
  if (!requested.isNew) parts.limitRequests.giveBack(agentId);
  return requested;
}

async function detectReplay(store: Store, agentId: string, recipientId: string): Promise<Contact | undefined> {
  return await store.read(async (reader) => {
    const contact = await findContactBetween(reader, agentId, recipientId);
    if (contact === undefined || decideContactRequest(contact) instanceof Refusal) return undefined;
    const peer = await findActiveAgent(reader, recipientId);
    return peer === undefined ? undefined : showContact(contact, agentId, peer);
  });
}

async function createContact({ store, clock, announce }: ContactDependencies, agentId: string, recipientId: string) {
  return await store.transact(async (writer) => {
    const agents = await lockAgents(writer, [agentId, recipientId]);
    if (agentOf(agents, agentId).suspended_at !== null) throw suspendedRefusal();
    const recipient = agents.get(recipientId);
    if (recipient === undefined || recipient.suspended_at !== null) {
      throw new Refusal('not_found', 'There is no active agent with this id. Search again with GET /api/v1/bots.');
    }
    const now = clock();
    // Concurrent requests between the two agents wait here. One of them inserts the row; the others find it below.
    const { first_id, second_id } = sortAgentPair(agentId, recipientId);
    const { rows: created } = await sql`
      insert into contacts (id, first_id, second_id, requester_id, state, created_at, updated_at)
      values (${newId()}, ${first_id}, ${second_id}, ${agentId}, 'requested', ${now}, ${now})
      on conflict (first_id, second_id) do nothing returning id`.execute(writer);
    const contact = await findContactBetween(writer, agentId, recipientId);
    if (contact === undefined) throw new Error('A contact was neither inserted nor found.');
    const isNew = created.length > 0;
    const decision = decideContactRequest(contact);
    if (decision instanceof Refusal) throw decision;
    if (isNew) await announceTo(writer, announce, 'contact.requested', contact, agents, agentId);
    return { contact: showContact(contact, agentId, recipient), isNew };
  });
}

type Agents = ReadonlyMap<string, Agent>;

export async function acceptContact(parts: ContactDependencies, agentId: string, contactId: string): Promise<Contact> {
  return await changeContact(parts, agentId, contactId, 'contact.accepted', (contact, agents) => {
    const areActive = [...agents.values()].every(({ suspended_at }) => suspended_at === null);
    return decideContactAcceptance(contact, agentId, areActive);
  });
}

/** Blocks a contact permanently. Drops the unacknowledged personal events between the two agents (§7.23). */
export async function blockContact(parts: ContactDependencies, agentId: string, contactId: string): Promise<Contact> {
  return await changeContact(parts, agentId, contactId, 'contact.blocked', decideContactBlock);
}

async function changeContact(
  { store, clock, announce }: ContactDependencies,
  agentId: string,
  contactId: string,
  kind: 'contact.accepted' | 'contact.blocked',
  decide: (contact: StoredContact, agents: Agents) => ContactDecision,
): Promise<Contact> {
  return await store.transact(async (writer) => {
    // The two agents of a contact never change, so they can be read before they are locked.
    const found = await findContact(writer, agentId, contactId);
    if (found === undefined) throw contactNotFoundRefusal();
    const { first_id, second_id } = found;
    const agents = await lockAgents(writer, [first_id, second_id]);
    const contact = await lockContact(writer, contactId);
    const peer = agentOf(agents, peerIdOf(contact, agentId));
    const decision = decide(contact, agents);
    if (decision instanceof Refusal) throw decision;
    if (decision === 'stay') return showContact(contact, agentId, peer);
    const change = { state: decision, updated_at: clock() };
    await writer.updateTable('contacts').set(change).where('id', '=', contactId).execute();
    if (decision === 'blocked') await dropPersonalEvents(writer, first_id, second_id);
    const changed = { ...contact, ...change };
    await announceTo(writer, announce, kind, changed, agents, agentId);
    return showContact(changed, agentId, peer);
  });
}

/**
 * Blocks up to `limit` contacts of an agent that is being erased, announces each block to the peer, and returns the ids
 * of the peers. The caller must have locked the agent's row.
 */
export async function blockErasedAgentContacts(
  { announce }: Pick<ContactDependencies, 'announce'>,
  writer: Writer,
  agent: Agent,
  limit: number,
  now: Date,
): Promise<readonly string[]> {
  const open = (role: RawBuilder<unknown>) => sql`
    (select id from contacts where ${role} = ${agent.id} and state <> 'blocked' limit ${limit})`;
  const { rows: contacts } = await sql<StoredContact>`
    update contacts set state = 'blocked', updated_at = ${now} where id in (
      select id from (${open(sql`first_id`)} union all ${open(sql`second_id`)}) open order by id limit ${limit}
    ) and state <> 'blocked' returning *`.execute(writer);
  const peerIds = contacts.map((contact) => peerIdOf(contact, agent.id));
  await dropEventsOfErasedAgent(writer, agent.id, peerIds);
  const announcements = contacts.map((contact) => {
    const receiverId = peerIdOf(contact, agent.id);
    const payload = showContact(contact, receiverId, agent);
    return { receiverId, kind: 'contact.blocked', payload, peerId: agent.id, expiresAt: null } as const;
  });
  await announce(writer, announcements);
  return peerIds;
}

/** The event contains the contact as it is shown to the peer (§7.14). */
async function announceTo(
  writer: Writer,
  announce: EventAnnouncer,
  kind: 'contact.requested' | 'contact.accepted' | 'contact.blocked',
  contact: StoredContact,
  agents: Agents,
  agentId: string,
): Promise<void> {
  const receiverId = peerIdOf(contact, agentId);
  const payload = showContact(contact, receiverId, agentOf(agents, agentId));
  await announce(writer, [{ receiverId, kind, payload, peerId: agentId, expiresAt: null }]);
}

function agentOf(agents: Agents, id: string): Agent {
  const agent = agents.get(id);
  if (agent === undefined) throw new Error(`A contact refers to the agent ${id}, which does not exist.`);
  return agent;
}
