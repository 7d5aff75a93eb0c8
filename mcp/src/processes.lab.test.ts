import type { AgentPlatform } from '@agent-platform/sdk';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openMachine } from '../../cli/testing/agentp.ts';
import { mcpMainFile, startPlatform, type TestPlatform } from '../testing/agents.ts';
import {
  callOk,
  confirmingPerson,
  decliningPerson,
  type Json,
  makeClient,
  type SimulatedUser,
} from '../testing/connect.ts';
import { type PausePoint, startPausingProxy } from '../testing/pausing-proxy.ts';

let platform: TestPlatform;
let proxy: Awaited<ReturnType<typeof startPausingProxy>>;
beforeAll(async () => {
  proxy = await startPausingProxy(() => platform.url);
  platform = await startPlatform();
});
afterAll(async () => {
  await proxy.close();
  await platform.stop();
});

/** Registers two agents and makes them friends; the first has credits and connects through the proxy. */
async function makeFriends(one: string, other: string) {
  const [alice, bob] = [await platform.register(one, 10_000, proxy.url), await platform.register(other)];
  const { contact_id } = await alice.contacts.request((await bob.bots.me()).id);
  await bob.contacts.accept(contact_id);
  return { alice, bob };
}

async function start(profile: string, person: SimulatedUser, ...options: readonly string[]) {
  return await startFor(makeClient('modern', person), profile, options);
}

async function startFor(client: Client, profile: string, options: readonly string[] = []) {
  const args = [mcpMainFile, '--profile', profile, ...options];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: platform.env, stderr: 'ignore' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const kill = async () => {
    process.kill(Number(transport.pid), 'SIGKILL');
    await client.close();
  };
  return { client, kill };
}

const offerTo = (contractor: string, amountMinor: number): Json => ({
  title: 'A chart',
  amount_minor: amountMinor,
  contractor_id: contractor,
  deadline: new Date(Date.now() + 86_400_000).toISOString(),
});

/** Approves the waiting act of a tool's result with `agentp approvals approve`. */
async function approve(profile: string, result: Json): Promise<void> {
  const words = ['approvals', 'approve', Object(result['approval']).id, '--profile', profile];
  const machine = openMachine(platform.home, platform.url);
  expect(await machine.run(words, { stdin: 'yes\n' })).toMatchObject({ exitCode: 2 });
  expect(await machine.runOnTerminal(words, { stdin: 'yes\n' })).toMatchObject({ exitCode: 0 });
}

/** Approves on the approval page, as a browser does. */
async function approveOnPage(_: string, url = ''): Promise<ElicitResult> {
  expect(await (await fetch(url)).text()).toMatch(/<h1>Approve this act\?.*credits/s);
  const body = new URLSearchParams({ decision: 'approve' });
  expect((await fetch(url, { method: 'POST', headers: { origin: new URL(url).origin }, body })).status).toBe(200);
  return { action: 'accept' };
}

const ordersOf = async (agent: AgentPlatform) => (await agent.orders.list({ pageSize: 50 })).orders;

it.each<[PausePoint, string]>([
  ['before', 'the request has arrived'],
  ['after', 'its response has arrived'],
])('makes one order when it is killed after the confirmation, %s %s', async (place) => {
  const { bob } = await makeFriends(`ann_${place}`, `ben_${place}`);
  const terms = offerTo(`ben_${place}`, 1_000);
  const first = await start(`ann_${place}`, confirmingPerson);
  const held = proxy.hold(/\/orders$/, place);
  const cut = first.client.callTool({ name: 'orders_create', arguments: { ...terms } }).catch(() => 'cut off');
  await held;
  await first.kill();
  expect(await cut).toBe('cut off');
  proxy.release();

  // The person is not asked about the confirmed act again, and the act is not sent as a second order.
  const second = await start(`ann_${place}`, decliningPerson);
  const repeated = await callOk(second.client, 'orders_create', terms);

  expect(await ordersOf(bob)).toMatchObject([{ id: Object(repeated['order']).id, total_minor: 1_100 }]);
});

it('makes no order if it is killed before the person confirms', async () => {
  const { bob } = await makeFriends('amy', 'bill');
  const { promise: asked, resolve: reach } = Promise.withResolvers<void>();
  const { promise: answer, resolve: confirm } = Promise.withResolvers<ElicitResult>();
  const first = await start('amy', () => {
    reach();
    return answer;
  });
  const terms = offerTo('bill', 1_000);
  const cut = first.client.callTool({ name: 'orders_create', arguments: { ...terms } }).catch(() => 'cut off');
  await asked;
  await first.kill();
  confirm({ action: 'accept', content: {} });
  expect(await cut).toBe('cut off');
  await (await start('amy', confirmingPerson)).client.listTools();

  expect(await ordersOf(bob)).toEqual([]);
});

it('applies one spend limit to two processes', async () => {
  const { bob } = await makeFriends('ada', 'bea');
  const options = ['--spend-limit-minor', '1000', '--tools', 'orders'];
  const clients: readonly Client[] = await Promise.all(
    [1, 2].map(async () => (await start('ada', decliningPerson, ...options)).client),
  );

  const results = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      // The totals, with commission, are 204 to 213: any four of them fit into the limit, but no five.
      const terms = offerTo('bea', 185 + index);
      return await clients[index % 2]?.callTool({ name: 'orders_create', arguments: { ...terms } });
    }),
  );

  const orders = await ordersOf(bob);
  const spent = orders.reduce((sum, { total_minor }) => sum + total_minor, 0);
  expect(spent).toBeLessThanOrEqual(1_000);
  expect(orders).toHaveLength(4);
  expect(results.filter((result) => result?.isError !== true)).toHaveLength(4);
});

it('ends only once the outcome of a command whose client has disconnected is known', async () => {
  const { bob } = await makeFriends('abby', 'bonnie');
  const { client } = await start('abby', confirmingPerson);
  const terms = offerTo('bonnie', 1_000);
  const held = proxy.hold(/\/orders$/, 'before');
  const cut = client.callTool({ name: 'orders_create', arguments: { ...terms } }).catch(() => 'cut off');
  await held;
  const closed = client.close();
  proxy.release();
  await closed;

  expect(await cut).toBe('cut off');
  expect(await ordersOf(bob)).toHaveLength(1);
  // The client has not received the order, so the same call returns it, and nobody is asked again.
  const repeated = await callOk((await start('abby', decliningPerson)).client, 'orders_create', terms);
  expect(await ordersOf(bob)).toMatchObject([{ id: Object(repeated['order']).id }]);
});

it.each([
  ['forms', makeClient('modern', confirmingPerson)],
  ['addresses', makeClient('modern', approveOnPage, {}, 'url')],
  ['nothing', makeClient('modern', undefined)],
] as const)('a client that has %s finishes a purchase', async (name, client) => {
  const [buyer, seller] = [`buyer_${name}`, `seller_${name}`];
  const { bob } = await makeFriends(buyer, seller);
  await startFor(client, buyer);
  const carryOut = async (tool: string, args: Json) => {
    const result = await callOk(client, tool, args);
    if (result['approval'] === undefined) return result;
    await approve(buyer, result);
    return await callOk(client, tool, args);
  };

  const { id, version } = Object((await carryOut('orders_create', offerTo(seller, 1_000)))['order']);
  const started = await bob.orders.start(await bob.orders.accept({ id, version }));
  const delivered = await bob.orders.deliver(started, { result_text: 'Here' });
  const paid = await carryOut('orders_complete', { order_id: id, expected_version: delivered.version });

  expect(paid).toMatchObject({ order: { outcome: 'accepted' } });
  expect(await ordersOf(bob)).toHaveLength(1);
  expect((await bob.wallet.get()).available_minor).toBe(1_000);
});

it('an approval remains valid after its process has ended, and is used once', async () => {
  const { bob } = await makeFriends('abel', 'boris');
  const terms = offerTo('boris', 1_000);
  const first = await start('abel', undefined);
  const waiting = await callOk(first.client, 'orders_create', terms);
  await first.kill();
  await approve('abel', waiting);

  // Two server processes run at the same time.
  const clients = await Promise.all([1, 2].map(async () => (await start('abel', undefined)).client));
  await Promise.all(clients.map((client) => callOk(client, 'orders_create', terms)));
  const again = await Promise.all(clients.map((client) => callOk(client, 'orders_create', terms)));

  expect(await ordersOf(bob)).toHaveLength(1);
  expect(again).toMatchObject([1, 2].map(() => ({ approval: { state: 'waiting' } })));
});

it.each<PausePoint>(['before', 'after'])(
  'an approved act is carried out once after a kill, %s its request',
  async (place) => {
    const [buyer, seller] = [`cal_${place}`, `dan_${place}`];
    const { bob } = await makeFriends(buyer, seller);
    const terms = offerTo(seller, 1_000);
    const first = await start(buyer, undefined);
    await approve(buyer, await callOk(first.client, 'orders_create', terms));
    const held = proxy.hold(/\/orders$/, place);
    const cut = first.client.callTool({ name: 'orders_create', arguments: { ...terms } }).catch(() => 'cut off');
    await held;
    await first.kill();
    expect(await cut).toBe('cut off');
    proxy.release();

    const repeated = await callOk((await start(buyer, undefined)).client, 'orders_create', terms);

    expect(await ordersOf(bob)).toMatchObject([{ id: Object(repeated['order']).id, total_minor: 1_100 }]);
  },
);
