import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { expect, isSameId, isUuid, Violation } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { botsPath, contactsPath, requestsPath } from '../../context/paths.ts';
import type { RunSession } from '../../context/run.ts';
import { setProfilePublic } from '../posts/publishing.ts';

export interface AgentPair {
  readonly alice: Agent;
  readonly bob: Agent;
}

/** Two agents with a contact that `alice` requested. */
export interface RequestedContact extends AgentPair {
  readonly contactId: string;
}

// Contacts of earlier runs are absent; a repeated request returns their ids.
const contactsMade = new WeakMap<RunSession, RequestedContact[]>();

export function rememberContact(run: Run, contact: RequestedContact): void {
  contactsMade.set(run.session, [...contactsOf(run), contact]);
}

/** Finds the contact of two agents, in either order. */
export function findContact(run: Run, { alice, bob }: AgentPair): RequestedContact | undefined {
  return contactsOf(run).find((made) => [made.alice.id, made.bob.id].every((id) => id === alice.id || id === bob.id));
}

/** The contacts of this run, oldest first; only those of `agent` if one is given. */
export function contactsOf(run: Run, agent?: Agent): readonly RequestedContact[] {
  const made = contactsMade.get(run.session) ?? [];
  return made.filter(({ alice, bob }) => agent === undefined || alice.id === agent.id || bob.id === agent.id);
}

export function bothDirections({ alice, bob }: AgentPair): readonly (readonly [from: Agent, to: Agent])[] {
  return [
    [alice, bob],
    [bob, alice],
  ];
}

/** The status of a contact, as listed for one of its agents. */
export type FriendshipStatus = 'none' | 'outgoing' | 'incoming' | 'friends' | 'blocked';

export function sendRequest(agent: Agent, recipientId: unknown): Promise<Exchange> {
  return agent.post(requestsPath, { recipient_id: recipientId });
}

export function sendAction(agent: Agent, contactId: string, action: 'accept' | 'block'): Promise<Exchange> {
  return agent.post(`${contactsPath}/${contactId}/${action}`, {});
}

/** Reports a new contact as the same fault in all checks. */
export function expectExistingContact(exchange: Exchange): Exchange {
  if (exchange.status === 201)
    throw new Violation('a repeated request was answered with 201', exchange, { symptom: 'contacts: 201 of a repeat' });
  return expect.status(exchange, 200);
}

export async function readContacts(agent: Agent, query = ''): Promise<Exchange> {
  return expect.works(await agent.get(`${contactsPath}${query}`));
}

export function expectContactId(exchange: Exchange): string {
  const [first] = listStrings(exchange.json).filter(({ path }) => /(^|\.)contact_id$/.test(path));
  if (isUuid(first?.text)) return first.text;
  throw new Violation('the answer has no "contact_id" that is a UUID', exchange, { requirement: 'AP-CONTACT-001' });
}

function contactsIn(json: unknown): readonly JsonObject[] {
  if (typeof json !== 'object' || json === null) return [];
  if (isObject(json) && typeof json['contact_id'] === 'string') return [json];
  return Object.values(json).flatMap(contactsIn);
}

/** The ids of all contacts in an answer, in lower case, in the order of the answer. */
export function contactIdsIn(exchange: Exchange): readonly string[] {
  return contactsIn(exchange.json).map((contact) => String(contact['contact_id']).toLowerCase());
}

/** Searches under any member name, because servers may choose the name. */
export function expectContactIn(exchange: Exchange, contactId: string, status: FriendshipStatus): void {
  const isThere = contactIdsIn(exchange).includes(contactId.toLowerCase());
  expect(isThere, `the contact ${contactId} is not in the answer`, exchange);
  expect(hasStatus(exchange, contactId, status), `no member of the contact has the value "${status}"`, exchange);
}

export function hasStatus({ json }: Exchange, contactId: string, status: FriendshipStatus): boolean {
  const found = contactsIn(json).find((contact) => isSameId(contact['contact_id'], contactId));
  return listStrings(found).some(({ text }) => text === status);
}

/** Expects the status in each agent's list and on the other agent's card. */
export async function expectStatuses(
  run: Run,
  contact: RequestedContact,
  ofOne: FriendshipStatus,
  ofOther: FriendshipStatus = ofOne,
): Promise<void> {
  await expectListedStatus(contact, ofOne, ofOther);
  await run.requirement('AP-CONTACT-004', async () => {
    for (const [reader, peer] of bothDirections(contact)) {
      const status = reader === contact.alice ? ofOne : ofOther;
      const card = expect.works(await reader.get(`${botsPath}/${peer.id}`));
      expectFriendship(card, status);
      await run.requirement('AP-CARD-006', () => expectPermittedLinks(card, status));
      const list = expect.works(await reader.get(`${botsPath}?q=${peer.handle}`));
      expectStatusOf(expect.record(list, peer.id, 'the agent'), status, list);
    }
  });
}

/** Later contacts may fill the first page. Returns the last page if no page contains the contact. */
export async function readPageWithContact(agent: Agent, contactId: string): Promise<Exchange> {
  let page = await readContacts(agent);
  for (let pages = 1; pages < 100 && !contactIdsIn(page).includes(contactId.toLowerCase()); pages += 1) {
    const last = contactIdsIn(page).at(-1);
    if (last === undefined || expect.object(page)['next_before'] === null) break;
    page = await readContacts(agent, `?before=${last}`);
  }
  return page;
}

export async function expectListedStatus(
  contact: RequestedContact,
  ofOne: FriendshipStatus,
  ofOther: FriendshipStatus,
): Promise<void> {
  for (const [reader] of bothDirections(contact))
    expectContactIn(
      await readPageWithContact(reader, contact.contactId),
      contact.contactId,
      reader === contact.alice ? ofOne : ofOther,
    );
}

export function expectFriendship(card: Exchange, status: FriendshipStatus): void {
  expectStatusOf(expect.bot(card), status, card);
}

function expectStatusOf({ friendship }: JsonObject, status: FriendshipStatus, exchange: Exchange): void {
  const actual = isObject(friendship) ? friendship['status'] : undefined;
  expect(actual === status, `friendship.status is ${JSON.stringify(actual)} instead of "${status}"`, exchange);
}

// The server may choose which allowed actions a card links to, but it must not link to refused ones.
const forbiddenLinks: Partial<Record<FriendshipStatus, RegExp>> = {
  outgoing: /^\/(?:[^\s/]+\/)*contacts\/[^\s/]+\/accept$/,
  blocked: /^\/(?:[^\s/]+\/)*contacts\/(requests|[^\s/]+\/accept)$/,
};

function expectPermittedLinks(card: Exchange, status: FriendshipStatus): void {
  const forbidden = listStrings(expect.bot(card)).find(({ text }) => forbiddenLinks[status]?.test(text) === true);
  expect(forbidden === undefined, `a card with the status "${status}" has the link "${forbidden?.text}"`, card);
}

/** Each agent can then read the card of the other. */
export async function openProfiles(run: Run, { alice, bob }: AgentPair): Promise<void> {
  for (const agent of [alice, bob]) await setProfilePublic(run, agent, true);
}

export function expectPending(contact: RequestedContact): Promise<void> {
  return expectListedStatus(contact, 'outgoing', 'incoming');
}

export async function expectNotFriends(contact: RequestedContact): Promise<void> {
  for (const [reader] of bothDirections(contact)) {
    const page = await readPageWithContact(reader, contact.contactId);
    expect(!hasStatus(page, contact.contactId, 'friends'), 'an unaccepted request created a friendship', page);
  }
}

/** Leaves out contacts with agents outside the run, because they may change at any time. */
export async function otherContactsOf(run: Run, contact: RequestedContact): Promise<readonly string[]> {
  const others: string[] = [];
  for (const [agent] of bothDirections(contact)) {
    const made = contactsOf(run, agent).filter(({ contactId }) => contactId !== contact.contactId);
    for (const { contactId } of made.slice(-othersMax)) {
      const page = await readPageWithContact(agent, contactId);
      const status = statuses.find((one) => hasStatus(page, contactId, one));
      others.push(`${contactId} of ${agent.handle}: ${status}`);
    }
  }
  return others;
}

export async function expectOthersUnchanged(
  run: Run,
  contact: RequestedContact,
  before: readonly string[],
): Promise<void> {
  const after = await otherContactsOf(run, contact);
  const changed = before.find((other) => !after.includes(other));
  expect(changed === undefined, `a block has changed another contact, ${changed}`, await readContacts(contact.bob));
}

const othersMax = 3;
const statuses = ['friends', 'outgoing', 'incoming', 'blocked'] as const;
