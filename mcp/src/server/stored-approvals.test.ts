import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import {
  callExpectingRefusal,
  callOk,
  connect,
  decliningPerson,
  type Json,
  openToolServer,
} from '../../testing/connect.ts';

const hourMs = 3_600_000;
const waits = { approval: { state: 'waiting' } };

/** Makes a friend, and two agents that share a journal file; the client of the first one cannot ask its user. */
async function setUp() {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 100_000 });
  const [bob, carol] = [await platform.agent('bob'), await platform.agent('carol', { creditsMinor: 100_000 })];
  for (const friend of [alice, carol]) await platform.befriend(friend, bob);
  const folder = makeTestFolder();
  const clock = { now: Date.now() };
  const open = async (agent = alice) => {
    return await openToolServer(agent, { journalFile: join(folder, 'mcp.sqlite'), now: () => clock.now });
  };
  const opened = await open();
  const client = await connect(opened, 'modern', undefined);
  const { id: aliceId } = await alice.bots.me();
  const { approvals } = opened.journal;
  /** Calls a tool, and approves or refuses the act that the tool proposes. */
  const decide = async (tool: string, args: Json, decision: 'approved' | 'refused' = 'approved') => {
    const { id } = Object((await callOk(client, tool, args))['approval']);
    approvals.decide(aliceId, id, decision);
    return String(id);
  };
  const terms = (amountMinor = 1_000, hours = 48): Json => ({
    title: 'A chart',
    amount_minor: amountMinor,
    contractor_id: 'bob',
    deadline: new Date(clock.now + hours * hourMs).toISOString(),
  });
  const orders = async () => (await bob.orders.list()).orders.length;
  return { alice, bob, carol, aliceId, folder, clock, open, client, approvals, decide, terms, orders };
}

it('carries out an approved act once', async () => {
  const { client, decide, terms, orders } = await setUp();
  const args = terms();
  await decide('orders_create', args);

  expect(await callOk(client, 'orders_create', args)).toMatchObject({ order: { state: 'offered' } });
  expect(await callOk(client, 'orders_create', args)).toMatchObject(waits);
  expect(await orders()).toBe(1);
});

it('reports a refusal once', async () => {
  const { client, decide, terms, orders } = await setUp();
  const args = terms();
  await decide('orders_create', args, 'refused');

  expect(await callExpectingRefusal(client, 'orders_create', args)).toMatchObject({ code: 'not_confirmed' });
  expect(await callOk(client, 'orders_create', args)).toMatchObject(waits);
  expect(await orders()).toBe(0);
});

it('an approval does not count for other arguments, tools or agents', async () => {
  const { carol, client, decide, open, terms, orders, bob } = await setUp();
  const args = terms();
  await decide('orders_create', args);
  const other = await connect(await open(carol), 'modern', undefined);
  const deadline = new Date(Date.now() + 24 * hourMs).toISOString();
  const offer = { title: 'A chart', amount_minor: 1_000, customer_id: 'alice', deadline };
  const { id, version } = await bob.orders.create(offer);

  for (const changed of [{ amount_minor: 2_000 }, { title: 'Two charts' }, { description: 'Large' }]) {
    expect(await callOk(client, 'orders_create', { ...args, ...changed })).toMatchObject(waits);
  }
  expect(await callOk(client, 'orders_accept', { order_id: id, expected_version: version })).toMatchObject(waits);
  expect(await callOk(other, 'orders_create', args)).toMatchObject(waits);
  expect(await orders()).toBe(1);
});

it('another agent that uses the same file can neither read an approval nor decide about it', async () => {
  const { carol, client, open, terms } = await setUp();
  const { id } = Object((await callOk(client, 'orders_create', terms()))['approval']);
  const { approvals } = (await open(carol)).journal;
  const { id: carolId } = await carol.bots.me();

  expect(approvals.list(carolId)).toEqual([]);
  expect(() => approvals.decide(carolId, id, 'approved')).toThrow(
    expect.objectContaining({ code: 'approval_not_found' }),
  );
});

it('an approval does not count for another price or a changed profile', async () => {
  const { alice, aliceId, folder, client, decide, approvals, terms } = await setUp();
  const args = terms();
  const id = await decide('orders_create', args);
  const { facts } = approvals.get(aliceId, id);
  const database = new DatabaseSync(join(folder, 'mcp.sqlite'));
  database
    .prepare("update approvals set act = json_set(act, '$.facts.total_minor', ?) where id = ?")
    .run(Number(facts.total_minor) - 1, id);
  database.close();
  await decide('me_update', { profile_public: true });
  await alice.bots.updateMe({ bio: 'Not seen by the user.' });

  expect(await callOk(client, 'orders_create', args)).toMatchObject(waits);
  expect(await callOk(client, 'me_update', { profile_public: true })).toMatchObject(waits);
  expect(await alice.bots.me()).toMatchObject({ profile_public: false });
});

it('an approval expires after a day, or with the deadline of its act', async () => {
  const { aliceId, clock, client, approvals, decide, terms, orders } = await setUp();
  const [long, short] = [terms(1_000, 48), terms(1_000, 1)];
  const id = await decide('orders_create', long);
  await decide('orders_create', short);

  expect(
    approvals
      .list(aliceId)
      .map(({ expires_at }) => Date.parse(expires_at) - clock.now)
      .toSorted(),
  ).toEqual([hourMs, 24 * hourMs]);
  clock.now += 24 * hourMs;
  expect(approvals.list(aliceId)).toEqual([]);
  expect(() => approvals.decide(aliceId, id, 'approved')).toThrow(
    expect.objectContaining({ code: 'approval_expired' }),
  );
  expect(await callOk(client, 'orders_create', long)).toMatchObject(waits);
  expect(await orders()).toBe(0);
});

it('refuses to show or approve an act whose arguments were changed in the file', async () => {
  const { aliceId, folder, client, approvals, terms } = await setUp();
  const { id } = Object((await callOk(client, 'orders_create', terms()))['approval']);
  const database = new DatabaseSync(join(folder, 'mcp.sqlite'));
  database.prepare("update approvals set act = json_set(act, '$.arguments.amount_minor', 1) where id = ?").run(id);
  database.close();

  expect(() => approvals.decide(aliceId, id, 'approved')).toThrow(
    expect.objectContaining({ code: 'approval_altered' }),
  );
});

it('stores at most a hundred waiting acts', async () => {
  const { client } = await setUp();
  const post = (n: number) => ({ text: `Post ${n}`, visibility: 'public' });
  for (let n = 0; n < 100; n += 1) await callOk(client, 'posts_create', post(n));

  expect(await callOk(client, 'posts_create', post(0))).toMatchObject(waits);
  expect(await callExpectingRefusal(client, 'posts_create', post(100))).toMatchObject({ code: 'too_many_approvals' });
});

it('applies the spending policy even after an approval', async () => {
  const { client, decide, folder, terms, orders } = await setUp();
  const args = terms();
  await decide('orders_create', args);
  writeFileSync(join(folder, 'spending-policy.json'), '{"per_order_minor":1099}');

  const exceeded = {
    code: 'spending_policy_exceeded',
    message: expect.stringContaining('permits 10.99 for one order'),
  };
  expect(await callExpectingRefusal(client, 'orders_create', args)).toMatchObject(exceeded);
  writeFileSync(join(folder, 'spending-policy.json'), '{"per_order_minor":1100}');
  expect(await callOk(client, 'orders_create', args)).toMatchObject({ order: { state: 'offered' } });
  expect(await orders()).toBe(1);
});

it('does not ask about acts that the spending policy refuses, and applies the stricter of both limits', async () => {
  const { alice, folder, terms, orders } = await setUp();
  writeFileSync(join(folder, 'spending-policy.json'), '{"per_day_minor":3000}');
  const policy = { spendLimitMinor: 2_000 };
  const journalFile = join(folder, 'mcp.sqlite');
  const client = await connect(await openToolServer(alice, { policy, journalFile }), 'modern', decliningPerson);

  expect(await callOk(client, 'orders_create', terms(1_000))).toMatchObject({ order: {} });
  expect(await callExpectingRefusal(client, 'orders_create', terms(1_001))).toMatchObject({ code: 'not_confirmed' });
  expect(await callExpectingRefusal(client, 'orders_create', terms(1_728))).toMatchObject({
    code: 'spending_policy_exceeded',
  });
  expect(await orders()).toBe(1);
});
