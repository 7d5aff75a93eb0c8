import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Machine,
  newHandle,
  type ReferenceServer,
  setUpMachine,
  startReferenceServer,
} from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';

let server: ReferenceServer;
let machine: Machine;
beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
});
afterAll(() => server.stop());

/** Creates two friends, a customer with a spending policy and a contractor. */
async function setUp(policy: string) {
  const [customer, contractor] = [newHandle(), newHandle()];
  const { aliceId } = await makeFriends(machine, server, [customer, contractor]);
  const folder = join(machine.home, 'state', aliceId);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'spending-policy.json'), policy);
  const [asCustomer, asContractor] = [customer, contractor].map((name) => ['--profile', name]);
  const terms = ['--title', 'Tea', '--deadline', '1d', '--amount'];
  const create = (amount: string, total: string) => {
    const price = [amount, '--confirm-total', total];
    return ['orders', 'create', '--contractor', contractor, ...terms, ...price, ...(asCustomer ?? [])];
  };
  const offer = async () => {
    const words = ['orders', 'create', '--customer', customer, ...terms, '5', ...(asContractor ?? [])];
    return String((await machine.data(words))['id']);
  };
  const orders = async () => {
    const { orders: found } = await machine.data(['orders', 'list', ...(asContractor ?? [])]);
    return Array.isArray(found) ? found.length : 0;
  };
  return { asCustomer: asCustomer ?? [], create, offer, orders };
}

it('refuses an order beyond the policy in a script, and counts earlier orders', async () => {
  const { create, orders } = await setUp('{"per_day_minor":1100}');

  await machine.data(create('5', '5.50'));
  await machine.data(create('5', '5.50'));
  expect(await machine.error(create('0.10', '0.11'))).toMatchObject({
    exitCode: 7,
    code: 'spending_policy_exceeded',
    message: expect.stringContaining('permits 11.00 in 24 hours, of which 11.00 are spent'),
  });
  expect(await orders()).toBe(2);
});

it.each([
  ['{"per_order_minor":549}', 'spending_policy_exceeded'],
  ['{"per_day": 600}', 'spending_policy_invalid'],
])('reports in a dry run what the policy %s refuses', async (policy, code) => {
  const { asCustomer, create, offer } = await setUp(policy);
  const accept = ['orders', 'accept', await offer(), '--confirm-total', '5.50', ...asCustomer];

  for (const words of [create('5', '5.50'), accept]) {
    expect(await machine.data([...words, '--dry-run'])).toMatchObject({ would_succeed: false, problems: [{ code }] });
  }
});

it('stores nothing in a dry run', async () => {
  const { create } = await setUp('{"per_day_minor":600}');

  for (const words of [['--dry-run'], ['--dry-run'], []]) await machine.data([...create('5', '5.50'), ...words]);
  expect(await machine.data([...create('5', '5.50'), '--dry-run'])).toMatchObject({ would_succeed: false });
});

it('refuses the acceptance of an offer beyond the policy, and permits its rejection', async () => {
  const { asCustomer, offer } = await setUp('{"per_counterparty_minor":500}');
  const id = await offer();

  expect(await machine.error(['orders', 'accept', id, '--confirm-total', '5.50', ...asCustomer])).toMatchObject({
    code: 'spending_policy_exceeded',
  });
  expect(await machine.data(['orders', 'reject', id, ...asCustomer])).toMatchObject({ state: 'rejected' });
});

it('asks a person at a terminal about an order beyond the policy', async () => {
  const { create, orders } = await setUp('{"per_order_minor":100}');
  const words = create('5', '5.50');

  const declined = await machine.runOnTerminal(words, { stdin: 'n\n' });
  expect(declined).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('permits 1.00 for one order') });
  expect(await orders()).toBe(0);
  expect(await machine.runOnTerminal(words, { stdin: 'y\n' })).toMatchObject({ exitCode: 0 });
  expect(await orders()).toBe(1);
});

it('releases the amount of an order that the server refuses', async () => {
  const { create } = await setUp('{"per_day_minor":600}');

  expect(await machine.error(create('5', '5.51'))).toMatchObject({ code: 'price_changed' });
  expect(await machine.data(create('5', '5.50'))).toMatchObject({ state: 'offered' });
});

it('spends nothing if the policy cannot be read', async () => {
  const { create, orders } = await setUp('{"per_day": 600}');

  expect(await machine.error(create('5', '5.50'))).toMatchObject({
    exitCode: 1,
    code: 'spending_policy_invalid',
    message: expect.stringContaining('did you mean "per_day_minor"?'),
    hint: expect.stringContaining('Correct or remove the file'),
  });
  expect(await orders()).toBe(0);
});
