import { FakePlatform } from '@agent-platform/sdk/testing';
import { type Client, isInputRequiredResult } from '@modelcontextprotocol/client';
import { expect, it, vi } from 'vitest';
import { connectWithoutAnswers, type Json, openToolServer } from '../../testing/connect.ts';

const yes = { confirmation: { action: 'accept', content: {} } };

/** Opens a client whose questions the test answers, and an order that waits for an action of the client's agent. */
async function setUp() {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 100_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  const opened = await openToolServer(alice);
  const client = await connectWithoutAnswers(opened);
  const offer = async (amountMinor: number): Promise<Json> => {
    const deadline = new Date(Date.now() + 86_400_000).toISOString();
    const terms = { title: 'A chart', deadline, amount_minor: amountMinor, customer_id: 'alice' };
    const { id, version } = await bob.orders.create(terms);
    return { order_id: id, expected_version: version };
  };
  return { platform, alice, bob, client, opened, offer };
}

async function send(client: Client, name: string, args: Json, more: Json = {}): Promise<Json> {
  const params = { name, arguments: { ...args }, ...more };
  const result: unknown = await client.request({ method: 'tools/call', params }, { allowInputRequired: true });
  return Object.fromEntries(Object.entries(Object(result)));
}

async function ask(client: Client, args: Json): Promise<string> {
  const result = await send(client, 'orders_accept', args);
  expect(isInputRequiredResult(result)).toBe(true);
  return String(result['requestState']);
}

const codeOf = ({ content, isError }: Json) =>
  isError === true ? JSON.parse(Object(content)[0].text).error.code : null;

async function reserved(alice: Awaited<ReturnType<typeof setUp>>['alice']): Promise<number> {
  return (await alice.wallet.get()).reserved_minor;
}

it('an answer counts once, even if it arrives twice at the same time', async () => {
  const { alice, client, offer } = await setUp();
  const order = await offer(1_000);
  const answer = { requestState: await ask(client, order), inputResponses: yes };

  const results = await Promise.all([1, 2].map(() => send(client, 'orders_accept', order, answer)));

  expect(results.map(codeOf).toSorted()).toEqual(['confirmation_invalid', null]);
  expect(codeOf(await send(client, 'orders_accept', order, answer))).toBe('confirmation_invalid');
  expect(await reserved(alice)).toBe(1_100);
});

it('an answer does not count for another order, version or tool', async () => {
  const { alice, client, offer } = await setUp();
  const [small, large] = [await offer(1_000), await offer(50_000)];
  const attempts: readonly (readonly [string, Json])[] = [
    ['orders_accept', large],
    ['orders_accept', { ...small, expected_version: 2 }],
    ['orders_reject', small],
    ['contacts_block', { agent: 'bob' }],
  ];
  for (const [tool, args] of attempts) {
    const answer = { requestState: await ask(client, small), inputResponses: yes };
    expect(codeOf(await send(client, tool, args, answer)), tool).toBe('confirmation_invalid');
  }

  expect(await reserved(alice)).toBe(0);
  expect(await alice.contacts.list()).toMatchObject({ contacts: [{ status: 'friends' }] });
});

it('an answer is invalid if it was changed, forged or made by another process', async () => {
  const { alice, client, offer, opened } = await setUp();
  const order = await offer(1_000);
  const state = await ask(client, order);
  const [version = '', body = '', mac = ''] = state.split('.');
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
  const changed = { ...payload, p: { ...payload.p, facts: { ...payload.p.facts, total_minor: 1 } } };
  const other = await connectWithoutAnswers(await openToolServer(opened.server.context.platform));
  const states = [
    `${version}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${mac}`,
    `${version}.${body}.${'A'.repeat(mac.length)}`,
    await ask(other, order),
    'anything',
  ];

  for (const requestState of states) {
    await expect(send(client, 'orders_accept', order, { requestState, inputResponses: yes })).rejects.toMatchObject({
      code: -32_602,
    });
  }
  expect(await reserved(alice)).toBe(0);
});

it('asks the question if an answer arrives without it', async () => {
  const { alice, client, offer } = await setUp();

  const result = await send(client, 'orders_accept', await offer(1_000), { inputResponses: yes });

  expect(isInputRequiredResult(result)).toBe(true);
  expect(await reserved(alice)).toBe(0);
});

it('an answer is bound to the price and the version that the person has read', async () => {
  const { alice, bob, client, offer } = await setUp();
  const order = await offer(1_000);
  const answer = { requestState: await ask(client, order), inputResponses: yes };
  await bob.orders.cancel({ id: String(order['order_id']), version: 1 });

  expect(codeOf(await send(client, 'orders_accept', order, answer))).toBe('version_conflict');
  expect(await reserved(alice)).toBe(0);
});

it('an answer is invalid after ten minutes', async () => {
  const { alice, client, offer } = await setUp();
  const order = await offer(1_000);
  const answer = { requestState: await ask(client, order), inputResponses: yes };
  const later = Date.now() + 601_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later);
  try {
    await expect(send(client, 'orders_accept', order, answer)).rejects.toMatchObject({ code: -32_602 });
  } finally {
    clock.mockRestore();
  }

  expect(await reserved(alice)).toBe(0);
});
