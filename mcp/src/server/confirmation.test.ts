import type { AgentPlatform } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { describe, expect, it } from 'vitest';
import {
  callExpectingRefusal,
  callOk,
  confirmingPerson,
  connect,
  decliningPerson,
  type Json,
  openToolServer,
  type SimulatedUser,
} from '../../testing/connect.ts';

const deadline = () => new Date(Date.now() + 86_400_000).toISOString();

async function makeFriends() {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 100_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  return { platform, alice, bob };
}

async function offerTo(bob: AgentPlatform, amountMinor = 1_000): Promise<Json> {
  const terms = { title: 'A chart', deadline: deadline(), amount_minor: amountMinor };
  const { id, version } = await bob.orders.create({ ...terms, customer_id: 'alice' });
  return { order_id: id, expected_version: version };
}

const reservations = async (alice: AgentPlatform) =>
  (await alice.wallet.history()).entries.filter(
    ({ kind, account_kind }) => kind === 'reserve' && account_kind === 'reserved',
  ).length;

describe.each(['modern', 'legacy'] as const)('a client of the %s era', (era) => {
  it('accepts an order once its person has confirmed total and version', async () => {
    const { alice, bob } = await makeFriends();
    const questions: string[] = [];
    const client = await connect(await openToolServer(alice), era, (question) => {
      questions.push(question);
      return { action: 'accept', content: {} };
    });
    const order = await offerTo(bob);

    const accepted = await callOk(client, 'orders_accept', order);

    expect(accepted).toMatchObject({ order: { state: 'funded', version: 2, total_minor: 1_100 } });
    expect(questions).toEqual([expect.stringMatching(/contractor bob, version 1\).*11\.00 credits/)]);
    expect(await reservations(alice)).toBe(1);
  });

  it.each([
    ['declines', 'not_confirmed', { action: 'decline' }],
    ['cancels', 'not_answered', { action: 'cancel' }],
  ] as const)('sends nothing when its person %s: %s', async (_, code, answer) => {
    const { platform, alice, bob } = await makeFriends();
    const client = await connect(await openToolServer(alice), era, () => answer);
    const order = await offerTo(bob);

    expect(await callExpectingRefusal(client, 'orders_accept', order)).toMatchObject({ code });
    expect(platform.requests.filter(({ operationId }) => operationId === 'acceptOrder')).toEqual([]);
  });

  it('does not ask about calls that change nothing', async () => {
    const { alice } = await makeFriends();
    const questions: string[] = [];
    const person: SimulatedUser = (question) => {
      questions.push(question);
      return { action: 'decline' };
    };
    const client = await connect(await openToolServer(alice), era, person);

    expect(await callOk(client, 'contacts_request', { agent: 'bob' })).toMatchObject({
      contact: { status: 'friends' },
    });
    expect(questions).toEqual([]);

    const offer = { contractor_id: 'bob', title: 'A palace', amount_minor: 10 ** 9, deadline: deadline() };
    await callExpectingRefusal(client, 'orders_create', offer);
    expect(questions).toEqual([expect.stringMatching(/The wallet has .* now, so the order cannot be accepted yet/)]);
  });

  it('that cannot ask gets a result that says how the user approves the stored act', async () => {
    const { platform, alice, bob } = await makeFriends();
    const client = await connect(await openToolServer(alice), era, undefined);
    const order = await offerTo(bob);

    const { approval } = await callOk(client, 'orders_accept', order);

    const { id } = Object(approval);
    const line = `agentp approvals approve ${id} --profile alice`;
    expect(approval).toMatchObject({ state: 'waiting', message: expect.stringContaining(line) });
    expect(await callOk(client, 'orders_accept', order)).toMatchObject({ approval: { id } });
    expect(platform.requests.filter(({ operationId }) => operationId === 'acceptOrder')).toEqual([]);
  });

  it('needs no confirmation for calls that neither spend nor publish', async () => {
    const { alice, bob } = await makeFriends();
    const client = await connect(await openToolServer(bob), era, undefined);
    const terms = { title: 'A chart', deadline: deadline(), amount_minor: 1_000 };

    const offered = await callOk(client, 'orders_create', { ...terms, customer_id: 'alice' });

    expect(offered).toMatchObject({ order: { state: 'offered' } });
    expect((await alice.orders.list()).orders).toHaveLength(1);
    expect(await callOk(client, 'posts_create', { text: 'Only for me.' })).toMatchObject({
      post: { state: 'private' },
    });
  });

  it.each([
    ['contacts_request', { agent: 'carol' }],
    ['contacts_block', { agent: 'alice' }],
    ['posts_create', { text: 'Hello', visibility: 'public' }],
    ['posts_create', { text: 'Hello', rights_confirmed: true }],
    ['me_update', { profile_public: true }],
    ['orders_create', { title: 'A', deadline: '2099-01-01T00:00:00Z', amount_minor: 5, contractor_id: 'alice' }],
  ])('asks before %s', async (tool, args) => {
    const { platform, bob } = await makeFriends();
    await platform.agent('carol', { profile: { profile_public: true } });
    const client = await connect(await openToolServer(bob), era, decliningPerson);

    expect(await callExpectingRefusal(client, tool, args)).toMatchObject({ code: 'not_confirmed' });
  });
});

describe('an act of an allowed class', () => {
  it('is carried out without a question, but no other act is', async () => {
    const { bob } = await makeFriends();
    const policy = { allowed: new Set(['publish', 'contacts'] as const) };
    const client = await connect(await openToolServer(bob, { policy }), 'modern', undefined);

    expect(await callOk(client, 'me_update', { profile_public: true })).toMatchObject({
      me: { profile_public: true },
    });
    const waits = { approval: { state: 'waiting' } };
    expect(await callOk(client, 'contacts_block', { agent: 'alice' })).toMatchObject(waits);
    const post = { text: 'x', visibility: 'public', rights_confirmed: true };
    expect(await callOk(client, 'posts_create', post)).toMatchObject(waits);
  });
});

it('asks again for the same act, once for each call', async () => {
  const { alice } = await makeFriends();
  const client = await connect(await openToolServer(alice), 'modern', confirmingPerson);
  const terms = { title: 'A chart', deadline: deadline(), amount_minor: 1_000, contractor_id: 'bob' };

  await callOk(client, 'orders_create', terms);
  await callOk(client, 'orders_create', terms);

  expect((await alice.orders.list()).orders).toHaveLength(2);
});

it('shows the handle of the agent and every character of the text, whatever the model wrote', async () => {
  const { alice, bob } = await makeFriends();
  const { id } = await bob.bots.me();
  const questions: string[] = [];
  const client = await connect(await openToolServer(alice), 'modern', (question) => {
    questions.push(question);
    return { action: 'decline' };
  });

  await callExpectingRefusal(client, 'orders_create', {
    title: 'A\u202e\u3164\u2800\u00a0',
    deadline: deadline(),
    amount_minor: 5,
    contractor_id: id,
  });

  expect(questions).toEqual([
    expect.stringContaining(`Order "A<U+202E><U+3164><U+2800><U+00A0>" from the agent bob (${id}) for 0.06 credits`),
  ]);
});
