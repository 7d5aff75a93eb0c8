import type { Agent } from '../../context/agent.ts';
import { defineFixture, type Run } from '../../context/check.ts';
import { type Connection, eventsOf, type StreamEvent } from '../../context/events/connection.ts';
import { expect, isSameId, SkippedError } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import * as events from '../events/listening.ts';
import { makeEndedOffer, offerWork } from '../events/tracked-order.ts';
import * as dialogs from '../messages/messaging.ts';
import { contactIdOf, expendablePair, friendPair } from './agent-pairs.ts';
import * as contacts from './contacting.ts';

const cost = { contactRequests: 2, writes: 13, messages: 4, sockets: 4, seconds: 1 } as const;

/**
 * Two friends after `alice` has blocked `bob`, with what each of them had read and received before. A block is
 * permanent, so all checks of a run share one. `unacknowledged` throws if no event arrived.
 */
export const blockedPair = defineFixture(cost, async (run) => {
  const pair = await expendablePair(run);
  const { alice, bob } = pair;
  const contactId = await contactIdOf(run, pair);
  // A failure of the event stream must fail only the checks of the event stream.
  const received = run.stream.isThere
    ? await leaveUnacknowledged(run, pair).catch(toFailure)
    : { error: new SkippedError('no --ws-url was given') };
  const first = await dialogs.sendText(run, alice, bob, 'Before the block.');
  const envelopes = [first, await dialogs.sendText(run, bob, alice, 'Before it, too.')] as const;
  const before = [await dialogs.readDialog(alice, bob), await dialogs.readDialog(bob, alice)];
  const others = await contacts.otherContactsOf(run, { ...pair, contactId });
  const block = expect.works(await contacts.sendAction(alice, contactId, 'block'));
  await run.precondition('AP-CONTACT-026', async () => {
    contacts.expectContactIn(await contacts.readContacts(alice), contactId, 'blocked');
    await contacts.expectOthersUnchanged(run, { ...pair, contactId }, others);
  });
  // Receives the events now, because other checks acknowledge the pending events of these two agents.
  const { fromFriend } = 'error' in received ? {} : received;
  const heard = fromFriend === undefined ? undefined : await receiveAfterBlock(run, fromFriend).catch(toFailure);
  const unacknowledged = () => ({ ...orThrow(received), fromFriend, heard: heard && orThrow(heard) });
  return { alice, bob, contactId, envelopes, dialogs: before, block, unacknowledged };
});

interface Failure {
  readonly error: unknown;
}

function toFailure(error: unknown): Failure {
  return { error };
}

function orThrow<T extends object>(made: T | Failure): T {
  if ('error' in made) throw made.error;
  return made;
}

/** Makes `alice` receive a message, and an order event if the server sends one, and leaves both unacknowledged. */
async function leaveUnacknowledged(run: Run, pair: contacts.AgentPair) {
  const { alice, bob } = pair;
  const friends = await friendOfEither(run, pair);
  // Pending events would be delivered before the new ones.
  const all = [alice, bob, ...(friends === undefined ? [] : [friends.friend])];
  await Promise.all(all.map((agent) => events.drain(run, agent)));
  const connection = await events.listen(run, alice);
  const before = events.seenEventIds(run);
  const sent = await dialogs.sendRandomMessage(run, bob, alice);
  const message = await events.expectMessage(run, connection, before, sent);
  // The specification does not state which party is notified of which change.
  const { id, states } = await makeEndedOffer(run, bob, alice, 'cancel');
  const wanted = { before, kind: 'order.changed', marks: [id] };
  const order = await events.waitForEvent(run, connection, wanted, run.stream.optionalMs);
  const [, cancelled] = [...states.keys()];
  const isNotifiedOfEnd = order !== undefined && (await wasNotified(connection, id, cancelled, run.stream.optionalMs));
  const offer = await offerWork(run, bob, alice);
  const fromFriend = friends === undefined ? undefined : await receiveFrom(run, friends, connection, alice);
  await connection.close();
  const marks = [message.id, ...sent, id, offer.id];
  return { message, marks, order, isNotifiedOfEnd, offer, fromFriend };
}

export async function wasNotified(
  connection: Connection,
  id: string,
  version: unknown,
  withinMs: number,
): Promise<boolean> {
  const isMeant = ({ kind, payload }: StreamEvent) =>
    kind === 'order.changed' &&
    isObject(payload) &&
    isSameId(payload['order_id'], id) &&
    payload['version'] === version;
  const notification = await events.waitUntil([connection], () => eventsOf(connection.frames).find(isMeant), withinMs);
  return notification !== undefined;
}

/** A message from a third agent to `member`, one of the two agents; `member` has not acknowledged it. */
interface FromFriend {
  readonly friend: Agent;
  readonly member: Agent;
  readonly event: StreamEvent;
}

/** Reads what `member` and its friend receive after the block; closes and returns their connections. */
async function receiveAfterBlock(run: Run, { friend, member, event }: FromFriend) {
  const [ofMember, ofFriend] = [await events.listen(run, member), await events.listen(run, friend)];
  await events.waitUntil(
    [ofMember],
    () => events.hasReceived(ofMember, event.id) || undefined,
    run.stream.eventTimeoutMs,
  );
  await run.clock.sleep(run.stream.silenceMs);
  // Later checks must not receive this pending event.
  if (events.hasReceived(ofMember, event.id)) await events.acknowledge(run, ofMember, event.id);
  for (const connection of [ofMember, ofFriend]) await connection.close();
  const again = await events.listen(run, member);
  const isAllThere = () => blockEventsOf(ofMember).every(({ id }) => events.hasReceived(again, id)) || undefined;
  await events.waitUntil([again], isAllThere, run.stream.eventTimeoutMs);
  await again.close();
  return { ofMember, again, ofFriend };
}

/** The block events on a connection; the specification does not state which of the two agents receives one. */
export function blockEventsOf({ frames }: Connection): readonly StreamEvent[] {
  return eventsOf(frames).filter(({ kind }) => kind === 'contact.blocked');
}

/** Undefined if neither agent has a friend outside the pair. */
async function friendOfEither(run: Run, { alice, bob }: contacts.AgentPair) {
  const isMember = ({ id }: Agent) => id === alice.id || id === bob.id;
  const found = contacts
    .bothDirections(await friendPair(run))
    .find(([member, friend]) => isMember(member) && !isMember(friend));
  return found === undefined ? undefined : { member: found[0], friend: found[1] };
}

async function receiveFrom(
  run: Run,
  { member, friend }: Omit<FromFriend, 'event'>,
  ofOne: Connection,
  alice: Agent,
): Promise<FromFriend> {
  const connection = member.id === alice.id ? ofOne : await events.listen(run, member);
  const event = await events.sendAndReceive(run, connection, friend, member);
  if (connection !== ofOne) await connection.close();
  return { member, friend, event };
}
