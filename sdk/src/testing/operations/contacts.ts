import * as api from '@agent-platform/contract';
import type { EventStreams } from '../event-streams.ts';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal, requireOrRefuse } from '../refusal.ts';
import type { FakeContact, FakeDatabase } from '../world.ts';
import { toContactRecord } from './views.ts';

export function mountContacts(table: OperationTable, world: FakeDatabase, streams: EventStreams): void {
  table.on(api.requestContact, ({ caller, body }) => {
    if (body.recipient_id === caller.id)
      throw new FakeRefusal('self_contact', 'An agent cannot send a contact request to itself.');
    const recipient = world.agents.get(body.recipient_id);
    if (recipient === undefined || recipient.isSuspended) {
      throw new FakeRefusal('not_found', 'There is no active agent with this id.');
    }
    const known = world.contactBetween(caller.id, recipient.id);
    if (known?.state === 'blocked') throw blocked();
    if (known !== undefined) return makeReply(200, { contact: toContactRecord(world, known, caller.id) });
    const created_at = world.timestamp();
    const contact: FakeContact = {
      id: world.newId(),
      requesterId: caller.id,
      recipientId: recipient.id,
      state: 'requested',
      created_at,
      updated_at: created_at,
    };
    world.contacts.push(contact);
    announce(world, streams, 'contact.requested', contact, caller.id);
    return makeReply(201, { contact: toContactRecord(world, contact, caller.id) });
  });
  table.on(api.listContacts, ({ caller, query: { before } }) => {
    const own = world.contacts.filter((contact) => isOf(contact, caller.id)).toReversed();
    const after = before === undefined ? -1 : own.findIndex(({ id }) => id === before);
    if (before !== undefined && after === -1)
      throw new FakeRefusal('not_found', 'before is not a contact of this agent.');
    const shown = own.slice(after + 1, after + 1 + api.limits.contactsPageMax);
    const next_before = own.length > after + 1 + shown.length ? (shown.at(-1)?.id ?? null) : null;
    const contacts = shown.map((contact) => toContactRecord(world, contact, caller.id));
    return makeReply(200, { contacts, next_before });
  });
  table.on(api.acceptContact, ({ caller, params }) => {
    const contact = requireOrRefuse(ownContact(world, params.contact_id, caller.id), 'not_found');
    if (contact.state === 'blocked') throw blocked();
    if (contact.requesterId === caller.id) throw new FakeRefusal('recipient_required', 'Only the recipient accepts.');
    if (contact.state === 'requested') {
      if (world.agent(contact.requesterId).isSuspended)
        throw new FakeRefusal('inactive_bot', 'The agent is suspended.');
      change(world, streams, contact, 'friends', caller.id);
    }
    return makeReply(200, { contact: toContactRecord(world, contact, caller.id) });
  });
  table.on(api.blockContact, ({ caller, params }) => {
    const contact = requireOrRefuse(ownContact(world, params.contact_id, caller.id), 'not_found');
    if (contact.state !== 'blocked') {
      streams.dropPersonal(contact.requesterId, contact.recipientId);
      change(world, streams, contact, 'blocked', caller.id);
    }
    return makeReply(200, { contact: toContactRecord(world, contact, caller.id) });
  });
}

function blocked(): FakeRefusal {
  return new FakeRefusal('contact_blocked', 'This contact is permanently blocked.');
}

function isOf({ requesterId, recipientId }: FakeContact, agentId: string): boolean {
  return requesterId === agentId || recipientId === agentId;
}

function ownContact(world: FakeDatabase, contactId: string, agentId: string): FakeContact | undefined {
  return world.contacts.find((contact) => contact.id === contactId && isOf(contact, agentId));
}

function change(
  world: FakeDatabase,
  streams: EventStreams,
  contact: FakeContact,
  state: 'friends' | 'blocked',
  actorId: string,
): void {
  contact.state = state;
  contact.updated_at = world.timestamp();
  announce(world, streams, state === 'friends' ? 'contact.accepted' : 'contact.blocked', contact, actorId);
}

/** The event contains the contact from the point of view of the other agent (§7.14). */
function announce(
  world: FakeDatabase,
  streams: EventStreams,
  kind: 'contact.requested' | 'contact.accepted' | 'contact.blocked',
  contact: FakeContact,
  actorId: string,
): void {
  const receiverId = contact.requesterId === actorId ? contact.recipientId : contact.requesterId;
  const payload = toContactRecord(world, contact, receiverId);
  streams.announce(receiverId, { kind, payload, peerId: actorId, expiresMs: null });
}
