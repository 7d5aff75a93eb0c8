import { actOnContact, askForContact, demandContactId } from './contacting.ts';
import { demandStatus, Unmet } from './judge.ts';
import type { Meeting, Pair } from './meetings.ts';
import type { PoolAgent } from './pool.ts';
import { relationOf, type Wear, wearOf } from './pool-wear.ts';
import type { Run } from './run.ts';

/**
 * Two agents that have never had to do with each other; whatever becomes of them
 * stays so. Pairs with the newcomer go first, for they end with the run anyway.
 */
export async function leaseStrangers(run: Run): Promise<Pair> {
  const found = choose(await candidates(run), (pair) => between(run, pair) === 'strangers');
  return found ?? refuse('every two agents of this run have met already: run it again with another pool');
}

/** Two of whom `one` has asked `other`, who has not answered; made of strangers where there are none. */
export async function leaseRequested(run: Run): Promise<Meeting> {
  const found = choose(await candidates(run), (pair) => between(run, pair) === 'requested');
  const meeting = found === undefined ? undefined : run.meetings.find(found);
  return meeting ?? (await request(run, await leaseStrangers(run)));
}

/**
 * Two friends that stay friends: a check may send between them and order, and must not
 * block. Those of the pool are taken first, and made friends where they are not yet.
 */
export async function leaseFriends(run: Run): Promise<Pair> {
  // No newcomer is needed for the pair that stays.
  const staying = { one: await run.kept(), other: await run.partner() };
  const pairs = mayBeFriends(run, staying) ? [staying] : await candidates(run);
  const found = choose(pairs, (pair) => mayBeFriends(run, pair));
  if (found === undefined) return refuse('no two agents can become friends');
  return await makeFriends(run, found);
}

/** The agent whose limits may be exhausted and a friend of it. Nobody else has to do with the two of them. */
export async function leaseLimited(run: Run): Promise<Pair> {
  return await makeFriends(run, { one: await run.limited(), other: await run.partner() });
}

/**
 * Two friends of whom one may block the other in the end; they are no use to a later run. A block
 * is for ever, and a run has two such pairs: who needs one that is over leases `leaseParted`.
 */
export async function leaseExpendableFriends(run: Run): Promise<Pair> {
  const newcomer = await run.newcomer();
  const isExpendable = ({ one, other }: Pair) => one.id === newcomer.id || other.id === newcomer.id;
  const pairs = (await candidates(run)).filter((pair) => isExpendable(pair) && mayBeFriends(run, pair));
  const fromBest = (['friends', 'strangers', 'requested'] as const).flatMap((relation) =>
    pairs.filter((pair) => between(run, pair) === relation),
  );
  const [found] = fromBest;
  if (found === undefined) return refuse('the newcomer of this run has met everybody: run it again');
  return await makeFriends(run, found);
}

function mayBeFriends(run: Run, pair: Pair): boolean {
  const relation = between(run, pair);
  return relation === 'requested' ? run.meetings.find(pair) !== undefined : relation !== 'blocked';
}

async function makeFriends(run: Run, pair: Pair): Promise<Pair> {
  const relation = between(run, pair);
  if (relation === 'strangers') await befriend(run, pair);
  if (relation === 'requested') {
    // Who asked in an earlier run, which may have ended between the two steps, is the first of the pair.
    const { other } = run.meetings.find(pair) ?? pair;
    demandStatus(await actOnContact(run, other, await contactIdOf(run, pair), 'accept'), 200);
  }
  return pair;
}

/** The id of the contact of two that have one: as this run knows it, or else by asking once more. */
export async function contactIdOf(run: Run, pair: Pair): Promise<string> {
  const known = run.meetings.find(pair);
  if (known !== undefined) return known.contactId;
  const repeat = await askForContact(run, pair.one, pair.other.id);
  demandStatus(repeat, 200);
  return demandContactId(repeat);
}

/** The agent of these two with at least so many credits; what is missing is granted, and seen in the wallet. */
export async function leaseCredits(run: Run, agent: PoolAgent, amountMinor: number): Promise<void> {
  const read = async () => {
    demandStatus(await run.ask({ path: '/api/v1/wallet', token: agent.token }), 200);
    return wearOf(run.wear(), agent.id).availableMinor;
  };
  const missing = amountMinor - (await read());
  if (missing <= 0) return;
  await run.hooks.grant(agent.id, missing);
  run.budget.spent.creditsMinor += missing;
  if ((await read()) < amountMinor)
    throw new Unmet('the program of --grant-command ended well, and the wallet has not got the credits');
}

/** Makes two strangers friends. */
export async function befriend(run: Run, pair: Pair): Promise<string> {
  const { other, contactId } = await request(run, pair);
  demandStatus(await actOnContact(run, other, contactId, 'accept'), 200);
  return contactId;
}

async function request(run: Run, { one, other }: Pair): Promise<Meeting> {
  const answer = await askForContact(run, one, other.id);
  demandStatus(answer, 201);
  const meeting = { one, other, contactId: demandContactId(answer) };
  run.meetings.note(meeting);
  return meeting;
}

/** The one agent of the run that is neither of two. */
export async function thirdBeside(run: Run, { one, other }: Pair): Promise<PoolAgent> {
  const agents = [await run.newcomer(), await run.kept(), await run.partner()];
  const third = agents.find(({ id }) => id !== one.id && id !== other.id);
  if (third === undefined) throw new Unmet('there is no third agent');
  return third;
}

/** What two agents are to each other, as far as this pool knows. */
export function between(run: { wear(): Wear }, { one, other }: Pair) {
  return relationOf(run.wear(), one.id, other.id);
}

// The pairs of the newcomer first, the pair that stays last.
async function candidates(run: Run): Promise<readonly Pair[]> {
  const newcomer = await run.newcomer();
  const kept = await run.kept();
  const partner = await run.partner();
  return [
    { one: newcomer, other: partner },
    { one: newcomer, other: kept },
    { one: kept, other: partner },
  ];
}

function choose(pairs: readonly Pair[], isFit: (pair: Pair) => boolean): Pair | undefined {
  return pairs.find(isFit);
}

function refuse(why: string): never {
  throw new Unmet(why);
}
