import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunForTest } from '../../../testing/open-step.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../../testing/reference-server.ts';
import type { Agent } from '../../context/agent.ts';
import { unpacedLimits } from '../../context/budget/limits.ts';
import type { Run } from '../../context/check.ts';
import { expect as expectAnswer } from '../../context/expectations.ts';
import { type HookCommands, noHooks } from '../../context/hooks/hooks.ts';
import { type HttpClient, openHttpClient } from '../../context/http/http-client.ts';
import { runOptions } from '../../context/options.ts';
import { openPool, type Pool } from '../../context/pool/pool.ts';
import { decryptCiphertext, type Envelope } from '../messages/sealing.ts';
import {
  befriend,
  contactIdOf,
  ensureCredits,
  expendablePair,
  friendPair,
  limitedPair,
  relationBetween,
  requestedPair,
  strangerPair,
} from './agent-pairs.ts';
import { blockedPair } from './blocked-pair.ts';
import type { AgentPair } from './contacting.ts';
import * as contacting from './contacting.ts';

let server: ReferenceServer;
let wire: HttpClient;

beforeAll(async () => {
  server = await startReferenceServer(unlimitedSettings);
  wire = openHttpClient(server.url);
});

afterAll(async () => {
  wire.close();
  await server.stop();
});

const runWith = (pool: Pool, hooks: HookCommands = noHooks): Run =>
  openRunForTest(runOptions(server.url, { hooks, limits: unpacedLimits }), { http: wire, pool });
const idsOf = ({ alice, bob }: AgentPair) => [alice.id, bob.id].toSorted();

async function contactOf(_run: Run, { alice, bob }: AgentPair): Promise<Record<string, unknown> | undefined> {
  const { json } = await alice.get('/api/v1/contacts');
  const { contacts } = json as { readonly contacts: { readonly peer: { readonly id: string } }[] };
  return contacts.find(({ peer }) => peer.id === bob.id);
}

describe('a lease', () => {
  it('returns two strangers, two permanent friends, or two friends that may block each other', async () => {
    const pool = openPool(undefined, server.url);
    const run = runWith(pool);

    const strangers = await strangerPair(run);
    expect(await contactOf(run, strangers)).toBeUndefined();

    const friends = await friendPair(run);
    expect(idsOf(friends)).toEqual(idsOf({ alice: await run.primaryAgent(), bob: await run.partnerAgent() }));
    expect(await contactOf(run, friends)).toMatchObject({ status: 'friends' });
    expect(idsOf(await friendPair(run))).toEqual(idsOf(friends));

    const expendable = await expendablePair(run);
    const newcomer = await run.freshAgent();
    expect(idsOf(expendable)).toContain(newcomer.id);
    const contact = await contactOf(run, expendable);
    const block = `/api/v1/contacts/${contact?.['contact_id']}/block`;
    expectAnswer.status(await expendable.alice.post(block, {}), 200);
    expect(relationBetween(run, expendable)).toBe('blocked');
  });

  it('returns two agents with a pending request, and later the same two as friends', async () => {
    const run = runWith(openPool(undefined, server.url));

    const asked = await requestedPair(run);
    expect(await contactOf(run, asked)).toMatchObject({ contact_id: asked.contactId, status: 'outgoing' });
    expect(await requestedPair(run)).toEqual(asked);

    await befriend(run, await strangerPair(run));
    await befriend(run, await strangerPair(run));
    const contactIds = [await contactIdOf(run, await friendPair(run)), await contactIdOf(run, asked)];
    expect(new Set(contactIds).size).toBe(2);
    expect(await contactOf(run, asked)).toMatchObject({ status: 'outgoing' });
  });

  it('returns two agents after a block, once in a run, with their records from before the block', async () => {
    const run = runWith(openPool(undefined, server.url));

    const pair = await blockedPair(run);
    expect(relationBetween(run, pair)).toBe('blocked');
    expect(await contactOf(run, pair)).toMatchObject({ contact_id: pair.contactId, status: 'blocked' });
    expect(await blockedPair(run)).toBe(pair);
    const envelope = pair.envelopes[0] as Envelope;
    expect(decryptCiphertext(run, pair.bob, envelope)).toBe('Before the block.');
    expect(decryptCiphertext(run, pair.alice, envelope)).toBeUndefined();
  });

  it('befriends two agents with a pending request if there are no strangers', async () => {
    const run = runWith(openPool(undefined, server.url));
    const asked = await requestedPair(run);
    const { alice, bob } = await strangerPair(run);
    await befriend(run, { alice, bob });
    expect(idsOf(await expendablePair(run))).toEqual(idsOf({ alice, bob }));
    const contact = await contactOf(run, { alice, bob });
    const block = `/api/v1/contacts/${contact?.['contact_id']}/block`;
    expectAnswer.status(await alice.post(block, {}), 200);

    expect(idsOf(await expendablePair(run))).toEqual(idsOf(asked));
    expect(await contactOf(run, asked)).toMatchObject({ status: 'friends' });
  });

  it('returns the agent whose limits may be exhausted and a friend, also after an interrupted run', async () => {
    const pool = openPool(undefined, server.url);
    const before = runWith(pool);
    const { alice, bob } = { alice: await before.limitedAgent(), bob: await before.partnerAgent() };
    expectAnswer.status(await contacting.sendRequest(alice, bob.id), 201);
    expect(relationBetween(before, { alice, bob })).toBe('requested');

    const run = runWith(pool);
    const friends = await limitedPair(run);
    expect([friends.alice.id, friends.bob.id]).toEqual([alice.id, bob.id]);
    expect(await contactOf(run, friends)).toMatchObject({ status: 'friends' });
    expect(await limitedPair(run)).toEqual(friends);
    expect([await run.primaryAgent(), await run.freshAgent()].map(({ id }) => id)).not.toContain(alice.id);

    const fresh = runWith(openPool(undefined, server.url));
    expect(await contactOf(fresh, await limitedPair(fresh))).toMatchObject({ status: 'friends' });
  });

  it('is skipped with a reason when all pairs are used up, and is possible again in the next run', async () => {
    const pool = openPool(undefined, server.url);
    const run = runWith(pool);
    for (let pairs = 0; pairs < 3; pairs += 1) await befriend(run, await strangerPair(run));
    await expect(strangerPair(run)).rejects.toThrow('already has a contact');

    const next = runWith(pool);
    const strangers = await strangerPair(next);
    expect(idsOf(strangers)).toContain((await next.freshAgent()).id);
    expect(idsOf(await friendPair(next))).toEqual(
      idsOf({ alice: await run.primaryAgent(), bob: await run.partnerAgent() }),
    );
  });
});

describe('credits', () => {
  const openNewPool = () => openPool(undefined, server.url);
  const availableTo = async (agent: Agent) => {
    const { json } = await agent.get('/api/v1/wallet');
    return (json as { readonly wallet: { readonly available_minor: number } }).wallet.available_minor;
  };

  it('are granted by the hook if some are missing, and only as many as are missing', async () => {
    const run = runWith(openNewPool(), server.means.hooks);
    await ensureCredits(run, await run.primaryAgent(), 40);
    await ensureCredits(run, await run.primaryAgent(), 25);
    expect(await availableTo(await run.primaryAgent())).toBe(40);
    await ensureCredits(run, await run.primaryAgent(), 100);
    expect(await availableTo(await run.primaryAgent())).toBe(100);
    expect(run.budget.spent.creditsMinor).toBe(100);
  });

  it('that the hook did not grant are missing, regardless of its output', async () => {
    const nobody = runWith(openNewPool());
    await expect(ensureCredits(nobody, await nobody.primaryAgent(), 1)).rejects.toThrow('no --grant-command was given');

    const grant = `'${process.execPath}' -e 0 {bot_id} {amount_minor}`;
    const idle = runWith(openNewPool(), { ...noHooks, grant });
    await expect(ensureCredits(idle, await idle.primaryAgent(), 1)).rejects.toThrow('the wallet lacks the credits');
    expect(idle.budget.spent.creditsMinor).toBe(1);
  });
});
