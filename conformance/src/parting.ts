import { actOnContact } from './contacting.ts';
import { demandStatus } from './judge.ts';
import { contactIdOf, leaseExpendableFriends } from './leases.ts';
import type { Pair } from './meetings.ts';
import { readDialog, send } from './messaging.ts';
import type { Run } from './run.ts';
import { type Envelope, seal } from './sealing.ts';
import { leaveUnconfirmed, type Unconfirmed } from './stream/unconfirmed.ts';
import type { Exchange } from './wire.ts';

/** Two who were friends until `one` blocked `other`, and what they had to do with each other before. */
export interface Parting extends Pair {
  readonly contactId: string;
  /** What each had written to the other, who had not confirmed it. */
  readonly fromOne: Envelope;
  readonly fromOther: Envelope;
  /** The dialog as each of them read it last. */
  readonly readByOne: Exchange;
  readonly readByOther: Exchange;
  readonly block: Exchange;
  /** What `one` had heard of `other` and not acknowledged; throws what went wrong with it. */
  readonly unconfirmed: () => Unconfirmed;
}

const partings = new WeakMap<Run, Promise<Parting>>();

/**
 * Two of whom one has blocked the other. That happens once in a run, because there is no way
 * back: what must be there before is made here, whatever it is that a check looks for afterwards.
 */
export function leaseParted(run: Run): Promise<Parting> {
  const parting = partings.get(run) ?? part(run);
  partings.set(run, parting);
  return parting;
}

async function part(run: Run): Promise<Parting> {
  const { one, other } = await leaseExpendableFriends(run);
  const contactId = await contactIdOf(run, { one, other });
  const unconfirmed = await leaveUnconfirmed(run, { one, other });
  const fromOne = seal(one, other, 'Before the block.');
  const fromOther = seal(other, one, 'Before it, too.');
  await send(run, one, fromOne);
  await send(run, other, fromOther);
  const readByOne = await readDialog(run, one, other);
  const readByOther = await readDialog(run, other, one);
  const block = await actOnContact(run, one, contactId, 'block');
  demandStatus(block, 200);
  return { one, other, contactId, fromOne, fromOther, readByOne, readByOther, block, unconfirmed };
}
