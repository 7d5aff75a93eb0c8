import type { Contact } from '@agent-platform/contract';
import { type Announce, dropPersonalEvents } from '../events/event-commands.ts';
import type { Agent } from '../identity/agent.ts';
import { lockProfiles } from '../identity/agent-commands.ts';
import { findActiveAgent } from '../identity/agent-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Store, Writer } from '../store/store.ts';
import { type Decision, decideAccept, decideBlock, decideRequest, pairOf, peerIdOf } from './contact.ts';
import { findContact, findContactBetween, lockContact, noSuchContact } from './contact-queries.ts';
import { type StoredContact, showContact } from './contact-view.ts';

/** What the commands work with. */
export interface ContactParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly limitRequests: CommandLimit;
}

/** A contact as the caller sees it, and whether this call made it. */
export interface RequestedContact {
  readonly contact: Contact;
  readonly isNew: boolean;
}

// Passports are locked before the contact, in the order of their ids, here as
// everywhere: commands that meet wait for each other instead of deadlocking.

/** Asks an agent to be a friend. The contact that the two have already is the answer, whoever asked for it. */
export async function requestContact(
  parts: ContactParts,
  agentId: string,
  recipientId: string,
): Promise<RequestedContact> {
  if (recipientId === agentId) {
    throw new Refusal('self_contact', 'An agent cannot be its own contact. Name another one.');
  }
  const known = await findRepeat(parts.store, agentId, recipientId);
  if (known !== undefined) return { contact: known, isNew: false };
  const overLimit = await parts.limitRequests.take(agentId);
  if (overLimit !== undefined) throw overLimit;
  const requested = await createContact(parts, agentId, recipientId);
  // A twin of this call, or the other side, was faster.
  if (!requested.isNew) parts.limitRequests.giveBack(agentId);
  return requested;
}

async function findRepeat(store: Store, agentId: string, recipientId: string): Promise<Contact | undefined> {
  return await store.read(async (reader) => {
    const contact = await findContactBetween(reader, agentId, recipientId);
    if (contact === undefined || decideRequest(contact).kind === 'refuse') return undefined;
    const peer = await findActiveAgent(reader, recipientId);
    return peer === undefined ? undefined : showContact(contact, agentId, peer);
  });
}

async function createContact(
  { store, clock, announce }: ContactParts,
  agentId: string,
  recipientId: string,
): Promise<RequestedContact> {
  return await store.transact(async (writer) => {
    const passports = await lockProfiles(writer, [agentId, recipientId]);
    const recipient = passports.get(recipientId);
    if (recipient === undefined || recipient.suspended_at !== null) {
      throw new Refusal('not_found', 'There is no active agent with this id. Look it up again with GET /api/v1/bots.');
    }
    const now = clock();
    // Of calls that meet, from either side, one inserts; the others wait for it here and then find its row.
    const created = await writer
      .insertInto('contacts')
      .values({
        id: newId(),
        ...pairOf(agentId, recipientId),
        requester_id: agentId,
        state: 'requested',
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.columns(['first_id', 'second_id']).doNothing())
      .returning('id')
      .executeTakeFirst();
    const contact = await findContactBetween(writer, agentId, recipientId);
    if (contact === undefined) throw new Error('A contact is neither new nor there already.');
    if (created === undefined) {
      expectAllowed(decideRequest(contact));
      return { contact: showContact(contact, agentId, recipient), isNew: false };
    }
    await tell(writer, announce, 'contact.requested', contact, passports, agentId);
    return { contact: showContact(contact, agentId, recipient), isNew: true };
  });
}

/** Accepts a request that this agent got. */
export async function acceptContact(parts: ContactParts, agentId: string, contactId: string): Promise<Contact> {
  return await parts.store.transact(async (writer) => {
    const { contact, passports } = await lock(writer, agentId, contactId);
    const areActive = [...passports.values()].every(({ suspended_at }) => suspended_at === null);
    const accepted = await carryOut(parts, writer, contact, decideAccept(contact, agentId, areActive));
    if (accepted !== contact) await tell(writer, parts.announce, 'contact.accepted', accepted, passports, agentId);
    return showContact(accepted, agentId, passportOf(passports, peerIdOf(accepted, agentId)));
  });
}

/** Blocks a contact for ever; what was announced between the two and not acknowledged yet is dropped (D-28). */
export async function blockContact(parts: ContactParts, agentId: string, contactId: string): Promise<Contact> {
  return await parts.store.transact(async (writer) => {
    const { contact, passports } = await lock(writer, agentId, contactId);
    const blocked = await carryOut(parts, writer, contact, decideBlock(contact));
    if (blocked !== contact) {
      await dropPersonalEvents(writer, blocked.first_id, blocked.second_id);
      await tell(writer, parts.announce, 'contact.blocked', blocked, passports, agentId);
    }
    return showContact(blocked, agentId, passportOf(passports, peerIdOf(blocked, agentId)));
  });
}

type Passports = ReadonlyMap<string, Agent>;

// Who the two are never changes, so it is read before anything is locked.
async function lock(writer: Writer, agentId: string, contactId: string) {
  const found = await findContact(writer, agentId, contactId);
  if (found === undefined) throw noSuchContact();
  const passports = await lockProfiles(writer, [found.first_id, found.second_id]);
  return { contact: await lockContact(writer, contactId), passports };
}

/** Does to a locked contact what was decided; the very same object comes back where nothing changes. */
async function carryOut(
  { clock }: ContactParts,
  writer: Writer,
  contact: StoredContact,
  decision: Decision,
): Promise<StoredContact> {
  expectAllowed(decision);
  if (decision.kind !== 'move') return contact;
  const change = { state: decision.to, updated_at: clock() };
  await writer.updateTable('contacts').set(change).where('id', '=', contact.id).execute();
  return { ...contact, ...change };
}

function expectAllowed(decision: Decision): void {
  if (decision.kind === 'refuse') throw new Refusal(decision.fault.code, decision.fault.message);
}

/** Announces to the other side what an agent did, as that side sees it (D-27). */
async function tell(
  writer: Writer,
  announce: Announce,
  kind: 'contact.requested' | 'contact.accepted' | 'contact.blocked',
  contact: StoredContact,
  passports: Passports,
  agentId: string,
): Promise<void> {
  const receiverId = peerIdOf(contact, agentId);
  const payload = showContact(contact, receiverId, passportOf(passports, agentId));
  await announce(writer, [{ receiverId, kind, payload, peerId: agentId, expiresAt: null }]);
}

function passportOf(passports: Passports, id: string): Agent {
  const passport = passports.get(id);
  if (passport === undefined) throw new Error(`A contact names the agent ${id}, and there is none.`);
  return passport;
}
