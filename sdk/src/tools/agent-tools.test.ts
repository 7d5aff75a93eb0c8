import { expect, it, onTestFinished, vi } from 'vitest';
import { FakePlatform } from '../testing/fake-platform.ts';
import { type AgentToolsOptions, agentTools } from './agent-tools.ts';
import { ToolFailure } from './tool-failure.ts';

const deadline = new Date(Date.now() + 86_400_000).toISOString();
/** How often the SDK sends a request that is lost. */
const attempts = 4;
const order = { contractor_id: 'bob', title: 'A chart', amount_minor: 1_000, deadline };

async function setUp(options: AgentToolsOptions = {}) {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice', { creditsMinor: 10_000 }), await platform.agent('bob')];
  await platform.befriend(alice, bob);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const tools = await agentTools(alice, { signal: ending.signal, ...options });
  const call = async (name: string, values: unknown = {}) =>
    await tools.find((tool) => tool.name === name)?.execute(values);
  return { platform, alice, bob, tools, call };
}

it('sends nothing that needs an approval without one', async () => {
  const { bob, call } = await setUp();

  expect(await call('orders_create', order)).toMatchObject({ error: { code: 'not_confirmed' } });
  expect((await bob.orders.list()).orders).toEqual([]);
});

it('asks with a description of the act, and continues when the same call is repeated after the decision', async () => {
  const questions: (string | undefined)[] = [];
  const { bob, call } = await setUp({
    approve: async ({ plan }) => (questions.push(plan.question) === 1 ? 'waiting' : 'approved'),
  });

  expect(await call('orders_create', order)).toMatchObject({ approval: { state: 'waiting' } });
  expect((await bob.orders.list()).orders).toEqual([]);
  expect(await call('orders_create', order)).toMatchObject({ order: { state: 'offered', total_minor: 1_100 } });
  expect(questions[1]).toMatch(/^Order "A chart" from the agent bob .* for 11\.00 credits/);
});

it('reports a failure of approve, and ends a call that is aborted while it waits', async () => {
  const failing = await setUp({ approve: async () => Promise.reject(new Error('no display')) });
  const waiting = await setUp({ approve: () => new Promise(() => undefined) });
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();

  const failed = await failing.call('orders_create', order);
  const create = waiting.tools.find(({ name }) => name === 'orders_create');
  const aborted = await create?.execute(order, { signal: AbortSignal.timeout(100) });

  expect(failed).toMatchObject({ error: { code: 'approval_failed' } });
  expect(warned.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining('no display')]);
  expect(aborted).toHaveProperty('error');
  warned.mockRestore();
});

it('passes on the reason for which approve refuses an act', async () => {
  const full = new ToolFailure('too_many_approvals', 'A hundred acts wait.');
  const { call } = await setUp({ approve: () => Promise.reject(full) });

  expect(await call('orders_create', order)).toMatchObject({ error: { code: 'too_many_approvals' } });
});

it('spends up to the limit without a question', async () => {
  const { call } = await setUp({ spendLimitMinor: 1_500 });

  expect(await call('orders_create', order)).toMatchObject({ order: { state: 'offered' } });
  expect(await call('orders_create', { ...order, title: 'Another' })).toMatchObject({
    error: { code: 'not_confirmed' },
  });
});

it('refuses a total that the model does not expect', async () => {
  const { bob, call } = await setUp({ spendLimitMinor: 5_000 });

  const refused = await call('orders_create', { ...order, confirmed_total_minor: 1_000 });
  expect(refused).toMatchObject({ error: { code: 'price_changed', message: expect.stringContaining('1100') } });
  expect(await call('orders_create', { ...order, confirmed_total_minor: 1_100 })).toMatchObject({ order: {} });
  expect((await bob.orders.list()).orders).toHaveLength(1);
});

it('asks nobody about an order whose deadline has passed', async () => {
  const { call } = await setUp({ approve: async () => 'waiting' });

  for (const past of ['2020-01-01T00:00:00Z', '2030-06-30T23:59:60Z']) {
    const refused = await call('orders_create', { ...order, deadline: past });
    expect(refused).toMatchObject({ error: { code: 'invalid_input', message: expect.stringContaining('deadline') } });
  }
});

it('a repeat of a call whose answer was not awaited continues the same order', async () => {
  const { alice, bob, tools, call } = await setUp({ spendLimitMinor: 5_000 });
  const caller = new AbortController();
  const create = alice.orders.create.bind(alice.orders);
  vi.spyOn(alice.orders, 'create').mockImplementationOnce((...args) => {
    const created = create(...args);
    void created.then(() => caller.abort());
    return created;
  });

  await tools.find(({ name }) => name === 'orders_create')?.execute(order, { signal: caller.signal });
  const repeated = await call('orders_create', order);

  const { orders } = await bob.orders.list();
  expect(orders).toHaveLength(1);
  expect(repeated).toMatchObject({ order: { id: orders[0]?.id } });
});

it('waiting for events sends a message whose outcome is unknown', async () => {
  const { platform, bob, call } = await setUp();
  platform.faults.loseRequest('sendMessage', attempts);

  const unsent = await call('messages_send', { agent: 'bob', text: 'Hello' });
  await call('events_next', { wait_seconds: 1 });

  expect(unsent).toMatchObject({ error: { code: 'message_pending' } });
  expect((await bob.messages.list('alice')).messages).toHaveLength(1);
});

it('offers the chosen tools, and recommends no other one', async () => {
  const { tools, call } = await setUp({ only: ['contacts', 'messages_send'] });

  expect(tools.map(({ name }) => name)).toEqual([
    'contacts_list',
    'contacts_request',
    'contacts_accept',
    'contacts_block',
    'messages_send',
  ]);
  expect(await call('contacts_list')).toMatchObject({ contacts: [{ next: [{ tool: 'messages_send' }] }] });
  await expect(setUp({ only: ['order'] })).rejects.toMatchObject({ code: 'unknown_tool' });
});

it('returns waiting messages of a friend and changes of an order together, and again until they are done', async () => {
  const { bob, call } = await setUp();
  const { id } = await bob.orders.create({ title: 'A', amount_minor: 1, deadline, customer_id: 'alice' });
  await bob.orders.cancel({ id, version: 1 });
  for (const text of ['One', 'Two', 'Three']) await bob.messages.send('alice', text);
  expect(await call('agenda_show')).toMatchObject({ messages: [{ unread: 3, next: [{ tool: 'messages_read' }] }] });

  const { events, lease_id, untrusted } = Object(await call('events_next', { wait_seconds: 5 }));

  const kinds = events.map(({ kind }: { kind: string }) => kind);
  expect(kinds.filter((kind: string) => kind === 'message.created')).toHaveLength(3);
  const orders = events.filter(({ kind }: { kind: string }) => kind === 'order.changed');
  expect(orders).toMatchObject([{ order: { order_id: id, status: 'cancelled', version: 2 } }]);
  expect(Object.values(untrusted.texts)).toEqual(expect.arrayContaining(['One', 'Two', 'Three']));
  expect(await call('events_done', { lease_id })).toEqual({ done: true });
  expect(await call('events_next')).toEqual({ events: [] });
  expect(await call('agenda_show')).toMatchObject({ messages: [] });
});

it('the agenda has an order that waits behind newer ones of the same state', async () => {
  const { alice, bob, call } = await setUp();
  const { id } = await bob.orders.create({ title: 'A', amount_minor: 1, deadline, customer_id: 'alice' });
  for (let count = 0; count < 51; count += 1)
    await alice.orders.create({ ...order, amount_minor: 1, confirmed_total_minor: 1 });

  expect(await call('agenda_show')).toMatchObject({ orders: [{ order: { id } }] });
});

it('the agenda has requests and the orders that wait for the agent, with the calls to make', async () => {
  const { bob, call } = await setUp({ spendLimitMinor: 5_000 });
  await bob.orders.create({ title: 'A', amount_minor: 100, deadline, customer_id: 'alice' });

  const { orders, requests } = Object(await call('agenda_show'));
  const accept = orders[0].next.find(({ tool }: { tool: string }) => tool === 'orders_accept');

  expect([requests, orders[0].role]).toEqual([[], 'customer']);
  expect(await call(accept.tool, accept.arguments)).toMatchObject({ order: { state: 'funded' } });
});
