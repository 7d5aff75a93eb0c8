import { textsOf } from './json.ts';
import { demandStatus, isUuid, Unmet } from './judge.ts';
import type { PoolAgent } from './pool.ts';
import { relationOf, type Wear, wearOf } from './pool-wear.ts';
import type { Run } from './run.ts';

/** Two agents, for a check to act with. */
export interface Pair {
  readonly one: PoolAgent;
  readonly other: PoolAgent;
}

/**
 * Two agents that have never had to do with each other; whatever becomes of them
 * stays so. Pairs with the newcomer go first, for they end with the run anyway.
 */
export async function leaseStrangers(run: Run): Promise<Pair> {
  const found = choose(await candidates(run), (pair) => between(run, pair) === 'strangers');
  return found ?? refuse('every two agents of this run have met already: run it again with another pool');
}

/**
 * Two friends that stay friends: a check may send between them and order, and must not
 * block. Those of the pool are taken first, and made friends where they are not yet.
 */
export async function leaseFriends(run: Run): Promise<Pair> {
  const pairs = (await candidates(run)).toReversed();
  const friends = choose(pairs, (pair) => between(run, pair) === 'friends');
  if (friends !== undefined) return friends;
  const found =
    choose(pairs, (pair) => between(run, pair) === 'strangers') ?? refuse('no two agents can become friends');
  await befriend(run, found);
  return found;
}

/** Two friends of whom one may block the other in the end; they are no use to a later run. */
export async function leaseExpendableFriends(run: Run): Promise<Pair> {
  const newcomer = await run.newcomer();
  const isExpendable = ({ one, other }: Pair) => one.id === newcomer.id || other.id === newcomer.id;
  const pairs = (await candidates(run)).filter(isExpendable);
  const friends = choose(pairs, (pair) => between(run, pair) === 'friends');
  if (friends !== undefined) return friends;
  const found =
    choose(pairs, (pair) => between(run, pair) === 'strangers') ??
    refuse('the newcomer of this run has met everybody: run it again');
  await befriend(run, found);
  return found;
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
export async function befriend(run: Run, { one, other }: Pair): Promise<string> {
  const request = await run.ask({
    ...{ method: 'POST', path: '/api/v1/contacts/requests', token: one.token, json: { recipient_id: other.id } },
  });
  demandStatus(request, 201);
  const id = textsOf(request.json).find(({ path, text }) => /(^|\.)contact_id$/.test(path) && isUuid(text))?.text;
  if (id === undefined) throw new Unmet('the answer to a contact request names no contact_id');
  demandStatus(
    await run.ask({ method: 'POST', path: `/api/v1/contacts/${id}/accept`, token: other.token, json: {} }),
    200,
  );
  return id;
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
