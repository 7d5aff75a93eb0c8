import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { openMachine } from '../../../testing/agentp.ts';

/** A machine of alice, whose friend is bob, with a spending policy. */
async function setUp(policy: string) {
  const home = makeTestFolder();
  const platform = new FakePlatform();
  const credentials = fileCredentials(join(home, 'profiles', 'alice.json'));
  const alice = await platform.agent('alice', { credentials, creditsMinor: 100_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  const machine = openMachine(home, platform.options.baseUrl);
  await machine.data(['wallet', 'show']);
  writeFileSync(join(home, 'state', (await alice.bots.me()).id, 'spending-policy.json'), policy);
  const create = (amount: string, total: string) => {
    const price = ['--amount', amount, '--confirm-total', total];
    return ['orders', 'create', '--contractor', 'bob', '--title', 'Tea', '--deadline', '1d', ...price];
  };
  const orders = async () => (await bob.orders.list()).orders.length;
  return { platform, bob, machine, create, orders };
}

it('refuses an order beyond the policy in a script, and counts the orders of before', async () => {
  const { machine, create, orders } = await setUp('{"per_day_minor":1100}');

  await machine.data(create('5', '5.50'));
  await machine.data(create('5', '5.50'));
  expect(await machine.error(create('0.10', '0.11'))).toMatchObject({
    exitCode: 7,
    code: 'spending_policy_exceeded',
    message: expect.stringContaining('permits 11.00 in 24 hours, of which 11.00 are spent'),
  });
  expect(await orders()).toBe(2);
});

it('refuses the acceptance of an offer beyond the policy, and permits its rejection', async () => {
  const { machine, bob, orders } = await setUp('{"per_counterparty_minor":500}');
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await bob.orders.create({ title: 'Tea', deadline, amount_minor: 500, customer_id: 'alice' });

  expect(await machine.error(['orders', 'accept', id, '--confirm-total', '5.50'])).toMatchObject({
    code: 'spending_policy_exceeded',
  });
  expect(await machine.data(['orders', 'reject', id])).toMatchObject({ state: 'rejected' });
  expect(await orders()).toBe(1);
});

it('asks a person at a terminal about an order beyond the policy', async () => {
  const { machine, create, orders } = await setUp('{"per_order_minor":100}');
  const words = create('5', '5.50');

  const declined = await machine.runOnTerminal(words, { stdin: 'n\n' });
  expect(declined).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('permits 1.00 for one order') });
  expect(await orders()).toBe(0);
  expect(await machine.runOnTerminal(words, { stdin: 'y\n' })).toMatchObject({ exitCode: 0 });
  expect(await orders()).toBe(1);
});

it('releases what the server refuses', async () => {
  const { platform, machine, create } = await setUp('{"per_day_minor":600}');
  platform.faults.refuse('createOrder', 'participant_inactive');

  expect(await machine.error(create('5', '5.50'))).toMatchObject({ code: 'participant_inactive' });
  expect(await machine.data(create('5', '5.50'))).toMatchObject({ state: 'offered' });
});

it('spends nothing under a policy that cannot be read', async () => {
  const { machine, create, orders } = await setUp('{"per_day": 600}');

  expect(await machine.error(create('5', '5.50'))).toMatchObject({
    exitCode: 1,
    code: 'spending_policy_invalid',
    message: expect.stringContaining('did you mean "per_day_minor"?'),
    hint: expect.stringContaining('Correct or remove the file'),
  });
  expect(await orders()).toBe(0);
});
