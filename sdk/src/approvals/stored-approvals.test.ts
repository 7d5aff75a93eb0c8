import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, onTestFinished } from 'vitest';
import { FakePlatform } from '../testing/fake-platform.ts';
import { agentTools } from '../tools/agent-tools.ts';
import { openJournal } from './act-journal.ts';

/** Gives alice tools with a journal; `create` places an order with bob. */
async function setUp() {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 100_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  const folder = makeTestFolder();
  const journal = openJournal(folder);
  onTestFinished(() => journal.close());
  const tools = await agentTools(alice, { only: ['orders'], journal, approve: journal.approve });
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const create = async (amountMinor = 1_000) => {
    const tool = tools.find(({ name }) => name === 'orders_create');
    return await tool?.execute({ title: 'A', deadline, amount_minor: amountMinor, contractor_id: 'bob' });
  };
  const { id } = await alice.bots.me();
  return { id, folder, journal, create };
}

it('stores acts of tools in a program until they are approved, and carries out each once', async () => {
  const { id, journal, create } = await setUp();

  expect(await create()).toMatchObject({ approval: { state: 'waiting' } });
  const [waiting] = journal.approvals.list(id);
  expect(waiting).toMatchObject({ tool: 'orders_create', state: 'waiting', facts: { total_minor: 1_100 } });
  journal.approvals.decide(id, waiting?.id ?? '', 'approved');
  expect(await create()).toMatchObject({ order: { state: 'offered' } });
  expect(await create()).toMatchObject({ approval: { state: 'waiting' } });
});

it('tools in a program obey the spending policy', async () => {
  const { id, folder, journal, create } = await setUp();
  writeFileSync(join(folder, 'spending-policy.json'), '{"per_order_minor":1000}');

  expect(await create()).toMatchObject({ error: { code: 'spending_policy_exceeded' } });
  expect(journal.approvals.list(id)).toEqual([]);
});
