import { isObject, type JsonObject, textsOf } from './json.ts';
import { demand, demandBot, demandStatus, isUuid } from './judge.ts';
import type { Meeting, Pair } from './meetings.ts';
import type { PoolAgent } from './pool.ts';
import { showProfile } from './publishing.ts';
import { isSameId } from './records.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/** Where contacts are. */
export const contactsPath = '/api/v1/contacts';
/** Where agents are asked to be friends. */
export const requestsPath = `${contactsPath}/requests`;

/** How a relation looks from one side. */
export type FriendshipStatus = 'none' | 'outgoing' | 'incoming' | 'friends' | 'blocked';

/** Asks for a friendship. */
export function askForContact(run: Run, { token }: PoolAgent, recipientId: unknown): Promise<Exchange> {
  return run.ask({ method: 'POST', path: requestsPath, token, json: { recipient_id: recipientId } });
}

/** Asks for an action on a contact. */
export function actOnContact(
  run: Run,
  { token }: PoolAgent,
  contactId: string,
  action: 'accept' | 'block',
): Promise<Exchange> {
  return run.ask({ method: 'POST', path: `${contactsPath}/${contactId}/${action}`, token, json: {} });
}

/** Reads the newest contacts of an agent; that must work. */
export async function listContacts(run: Run, { token }: PoolAgent, query = ''): Promise<Exchange> {
  const answer = await run.ask({ path: `${contactsPath}${query}`, token });
  demandStatus(answer, 200);
  return answer;
}

/** The contact_id of the one contact in an answer; it must be a UUID. */
export function demandContactId(exchange: Exchange): string {
  const ids = textsOf(exchange.json).filter(({ path }) => /(^|\.)contact_id$/.test(path));
  const [first] = ids;
  demand(first !== undefined, 'the answer has no text "contact_id"', exchange);
  demand(isUuid(first.text), '"contact_id" is not a UUID', exchange);
  return first.text;
}

/** Every contact in an answer, wherever it stands: the objects that have a contact_id. */
export function contactsIn(json: unknown): readonly JsonObject[] {
  if (typeof json !== 'object' || json === null) return [];
  if (isObject(json) && typeof json['contact_id'] === 'string') return [json];
  return Object.values(json).flatMap(contactsIn);
}

/** The ids of all contacts in an answer, in lower case and in its order. */
export function contactIdsIn(exchange: Exchange): readonly string[] {
  return contactsIn(exchange.json).map((contact) => String(contact['contact_id']).toLowerCase());
}

/**
 * Demands that a contact is in an answer and has a status. The name of the
 * member is not stated, so any text of the contact may be it.
 */
export function demandContact(exchange: Exchange, contactId: string, status: FriendshipStatus): JsonObject {
  const found = contactsIn(exchange.json).find((contact) => isSameId(contact['contact_id'], contactId));
  demand(found !== undefined, `the contact ${contactId} is not there`, exchange);
  const isThere = textsOf(found).some(({ text }) => text === status);
  demand(isThere, `the contact does not say that it is "${status}"`, exchange);
  return found;
}

/** Demands what the two of a contact see of it, in their lists and on the card of the other one. */
export async function demandRelation(
  run: Run,
  { one, other }: Pair,
  contactId: string,
  seen: readonly [byOne: FriendshipStatus, byOther: FriendshipStatus],
): Promise<void> {
  const sides = [
    [one, other, seen[0]],
    [other, one, seen[1]],
  ] as const;
  for (const [reader, peer, status] of sides) {
    demandContact(await listContacts(run, reader), contactId, status);
    demandFriendship(await run.ask({ path: `/api/v1/bots/${peer.id}`, token: reader.token }), status);
  }
}

/** Demands the relation that a card tells. */
export function demandFriendship(card: Exchange, status: FriendshipStatus): void {
  demandStatus(card, 200);
  const { friendship } = demandBot(card) as { readonly friendship?: unknown };
  const seen = isObject(friendship) ? friendship['status'] : undefined;
  demand(seen === status, `friendship.status is ${JSON.stringify(seen)} instead of "${status}"`, card);
}

/** Opens both profiles, for their cards to be read. */
export async function showBoth(run: Run, { one, other }: Pair): Promise<void> {
  for (const agent of [one, other]) await showProfile(run, agent, true);
}

/** Demands that a contact waits for an answer, seen from both sides. */
export async function demandPending(run: Run, { one, other, contactId }: Meeting): Promise<void> {
  demandContact(await listContacts(run, one), contactId, 'outgoing');
  demandContact(await listContacts(run, other), contactId, 'incoming');
}
