import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../testing/reference-server.ts';
import { askForContact } from './contacting.ts';
import { demandStatus } from './judge.ts';
import {
  befriend,
  between,
  contactIdOf,
  leaseCredits,
  leaseExpendableFriends,
  leaseFriends,
  leaseLimited,
  leaseRequested,
  leaseStrangers,
} from './leases.ts';
import { withoutPace } from './limits.ts';
import type { Pair } from './meetings.ts';
import { type HookCommands, noHooks, runOptions } from './options.ts';
import { leaseParted } from './parting.ts';
import { openPool, type Pool } from './pool.ts';
import { openRun, type Run } from './run.ts';
import { open } from './sealing.ts';
import { openWire, type Wire } from './wire.ts';

let server: ReferenceServer;
let wire: Wire;

beforeAll(async () => {
  server = await startReferenceServer(withoutLimits);
  wire = openWire(server.url);
});

afterAll(async () => {
  wire.close();
  await server.stop();
});

const runWith = (pool: Pool, hooks: HookCommands = noHooks): Run =>
  openRun(runOptions(server.url, { hooks, limits: withoutPace }), wire, pool, () => undefined);
const idsOf = ({ one, other }: Pair) => [one.id, other.id].toSorted();

async function contactOf(run: Run, { one, other }: Pair): Promise<Record<string, unknown> | undefined> {
  const { json } = await run.ask({ path: '/api/v1/contacts', token: one.token });
  const { contacts } = json as { readonly contacts: { readonly peer: { readonly id: string } }[] };
  return contacts.find(({ peer }) => peer.id === other.id);
}

describe('a lease', () => {
  it('gives two strangers, friends that stay, and friends of whom one may block the other', async () => {
    const pool = openPool(undefined, server.url, () => new Date());
    const run = runWith(pool);

    const strangers = await leaseStrangers(run);
    expect(await contactOf(run, strangers)).toBeUndefined();

    const friends = await leaseFriends(run);
    expect(idsOf(friends)).toEqual(idsOf({ one: await run.kept(), other: await run.partner() }));
    expect(await contactOf(run, friends)).toMatchObject({ status: 'friends' });
    expect(idsOf(await leaseFriends(run))).toEqual(idsOf(friends));

    const expendable = await leaseExpendableFriends(run);
    const newcomer = await run.newcomer();
    expect(idsOf(expendable)).toContain(newcomer.id);
    const contact = await contactOf(run, expendable);
    const block = { method: 'POST', path: `/api/v1/contacts/${contact?.['contact_id']}/block`, json: {} } as const;
    demandStatus(await run.ask({ ...block, token: expendable.one.token }), 200);
    expect(between(run, expendable)).toBe('blocked');
  });

  it('gives two of whom one has asked the other, and the same two as friends once they are needed', async () => {
    const run = runWith(openPool(undefined, server.url, () => new Date()));

    const asked = await leaseRequested(run);
    expect(await contactOf(run, asked)).toMatchObject({ contact_id: asked.contactId, status: 'outgoing' });
    expect(await leaseRequested(run)).toEqual(asked);

    await befriend(run, await leaseStrangers(run));
    await befriend(run, await leaseStrangers(run));
    const contactIds = [await contactIdOf(run, await leaseFriends(run)), await contactIdOf(run, asked)];
    expect(new Set(contactIds).size).toBe(2);
    expect(await contactOf(run, asked)).toMatchObject({ status: 'outgoing' });
  });

  it('gives two of whom one has blocked the other, once in a run and with what was there before', async () => {
    const run = runWith(openPool(undefined, server.url, () => new Date()));

    const parting = await leaseParted(run);
    expect(between(run, parting)).toBe('blocked');
    expect(await contactOf(run, parting)).toMatchObject({ contact_id: parting.contactId, status: 'blocked' });
    expect(await leaseParted(run)).toBe(parting);
    expect(open(parting.other, parting.fromOne)).toBe('Before the block.');
    expect(open(parting.one, parting.fromOne)).toBeUndefined();
  });

  it('makes friends of two who have met when there are no others', async () => {
    const run = runWith(openPool(undefined, server.url, () => new Date()));
    const asked = await leaseRequested(run);
    const { one, other } = await leaseStrangers(run);
    await befriend(run, { one, other });
    expect(idsOf(await leaseExpendableFriends(run))).toEqual(idsOf({ one, other }));
    const contact = await contactOf(run, { one, other });
    const block = { method: 'POST', path: `/api/v1/contacts/${contact?.['contact_id']}/block`, json: {} } as const;
    demandStatus(await run.ask({ ...block, token: one.token }), 200);

    expect(idsOf(await leaseExpendableFriends(run))).toEqual(idsOf(asked));
    expect(await contactOf(run, asked)).toMatchObject({ status: 'friends' });
  });

  it('gives one whose limits may be exhausted and a friend of it, also where an earlier run ended in between', async () => {
    const pool = openPool(undefined, server.url, () => new Date());
    const before = runWith(pool);
    const { one, other } = { one: await before.limited(), other: await before.partner() };
    demandStatus(await askForContact(before, one, other.id), 201);
    expect(between(before, { one, other })).toBe('requested');

    const run = runWith(pool);
    const friends = await leaseLimited(run);
    expect(friends).toEqual({ one, other });
    expect(await contactOf(run, friends)).toMatchObject({ status: 'friends' });
    expect(await leaseLimited(run)).toEqual(friends);
    expect([await run.kept(), await run.newcomer()].map(({ id }) => id)).not.toContain(one.id);

    const fresh = runWith(openPool(undefined, server.url, () => new Date()));
    expect(await contactOf(fresh, await leaseLimited(fresh))).toMatchObject({ status: 'friends' });
  });

  it('is refused with what is missing once every pair is used up, and given again in the next run', async () => {
    const pool = openPool(undefined, server.url, () => new Date());
    const run = runWith(pool);
    for (let pairs = 0; pairs < 3; pairs += 1) await befriend(run, await leaseStrangers(run));
    await expect(leaseStrangers(run)).rejects.toThrow('have met already');

    const next = runWith(pool);
    const strangers = await leaseStrangers(next);
    expect(idsOf(strangers)).toContain((await next.newcomer()).id);
    expect(idsOf(await leaseFriends(next))).toEqual(idsOf({ one: await run.kept(), other: await run.partner() }));
  });
});

describe('credits', () => {
  const openNewPool = () => openPool(undefined, server.url, () => new Date());
  const availableTo = async (run: Run, token: string) => {
    const { json } = await run.ask({ path: '/api/v1/wallet', token });
    return (json as { readonly wallet: { readonly available_minor: number } }).wallet.available_minor;
  };

  it('are granted by the program of the hook, as many as are missing, and only where some are', async () => {
    const run = runWith(openNewPool(), server.means.hooks);
    const { token } = await run.kept();

    await leaseCredits(run, await run.kept(), 40);
    await leaseCredits(run, await run.kept(), 25);
    expect(await availableTo(run, token)).toBe(40);
    await leaseCredits(run, await run.kept(), 100);
    expect(await availableTo(run, token)).toBe(100);
    expect(run.budget.spent.creditsMinor).toBe(100);
  });

  it('that no program grants are what is missing, whatever the program says of itself', async () => {
    const nobody = runWith(openNewPool());
    await expect(leaseCredits(nobody, await nobody.kept(), 1)).rejects.toThrow('no --grant-command was given');

    const grant = `'${process.execPath}' -e 0 {bot_id} {amount_minor}`;
    const idle = runWith(openNewPool(), { ...noHooks, grant });
    await expect(leaseCredits(idle, await idle.kept(), 1)).rejects.toThrow('the wallet has not got the credits');
    expect(idle.budget.spent.creditsMinor).toBe(1);
  });
});
