import { fixture } from '../../context/check.ts';
import { expect, Skipped } from '../../context/expectations.ts';
import { hearAfterBlock, leaveUnacknowledged } from '../events/unacknowledged.ts';
import * as dialogs from '../messages/messaging.ts';
import { contactIdOf, expendablePair } from './agent-pairs.ts';
import * as contacts from './contacting.ts';

const cost = { contactRequests: 2, writes: 13, messages: 4, sockets: 3, seconds: 1 } as const;

/**
 * Two friends until `alice` blocked `bob`, and their records from before: a message in each direction, the last dialog
 * that each read, and the events of `bob` that `alice` received, or the failure to receive them. A block is permanent,
 * so all checks of a run share one and everything that must precede it.
 */
export const blockedPair = fixture(cost, async (run) => {
  const pair = await expendablePair(run);
  const { alice, bob } = pair;
  const contactId = await contactIdOf(run, pair);
  // A failure of the stream concerns only the checks of the stream.
  const received = run.stream.isThere
    ? await leaveUnacknowledged(run, pair).catch(toFailure)
    : { error: new Skipped('no --ws-url was given') };
  const first = await dialogs.sendText(run, alice, bob, 'Before the block.');
  const envelopes = [first, await dialogs.sendText(run, bob, alice, 'Before it, too.')] as const;
  const before = [await dialogs.read(alice, bob), await dialogs.read(bob, alice)];
  const others = await contacts.othersOf(run, { ...pair, contactId });
  const block = expect.works(await contacts.act(alice, contactId, 'block'));
  await run.precondition('AP-CONTACT-026', async () => {
    contacts.expectIn(await contacts.list(alice), contactId, 'blocked');
    await contacts.expectOthers(run, { ...pair, contactId }, others);
  });
  // Other checks acknowledge what waits for these two.
  const { fromFriend } = 'error' in received ? {} : received;
  const heard = fromFriend === undefined ? undefined : await hearAfterBlock(run, fromFriend).catch(toFailure);
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
