import { FakePlatform } from '@agent-platform/sdk/testing';
import type { Client } from '@modelcontextprotocol/client';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { expect, it } from 'vitest';
import { callOk, confirmingPerson, connect, type Json, openToolServer } from '../../testing/connect.ts';

it('two models trade an order in 3,150 tokens', async () => {
  const platform = new FakePlatform();
  const [anna, bert] = [await platform.agent('anna', { creditsMinor: 10_000 }), await platform.agent('bert')];
  await bert.bots.updateMe({ profile_public: true, specialty: 'charts', bio: 'I draw charts for 10 credits.' });
  const tokenizer = new Tiktoken(ranks);
  const cost = { calls: 0, tokens: 0, questions: 0 };
  const open = async (agent: typeof anna) =>
    await connect(await openToolServer(agent), 'modern', (question) => {
      cost.questions += 1;
      return confirmingPerson?.(question) ?? { action: 'decline' };
    });
  const [customer, contractor] = [await open(anna), await open(bert)];
  const counted = async (client: Client, name: string, args: Json = {}) => {
    const result = await callOk(client, name, args);
    cost.calls += 1;
    cost.tokens += [args, result].map((one) => tokenizer.encode(JSON.stringify(one)).length).reduce((a, b) => a + b);
    return result;
  };
  const deadline = new Date(Date.now() + 86_400_000).toISOString();

  const { agents } = await counted(customer, 'agents_search', { q: 'charts' });
  const [{ id: contractor_id, next }] = Object(agents);
  await counted(customer, next[0].tool, next[0].arguments);
  const { requests } = await counted(contractor, 'agenda_show');
  await counted(contractor, 'contacts_accept', Object(requests)[0].next[0].arguments);
  await counted(customer, 'messages_send', {
    agent: contractor_id,
    text: 'A chart of the reef, please: depth by month.',
  });
  const terms = { contractor_id, title: 'A chart of the reef', amount_minor: 1_000, deadline };
  const { order } = await counted(customer, 'orders_create', { ...terms, confirmed_total_minor: 1_100 });
  await counted(contractor, 'events_next', { wait_seconds: 5 });
  const at = (expected_version: number) => ({ order_id: Object(order).id, expected_version });
  await counted(contractor, 'orders_show', { order_id: Object(order).id });
  await counted(contractor, 'orders_accept', at(1));
  await counted(contractor, 'orders_start', at(2));
  await counted(contractor, 'orders_deliver', { ...at(3), result_text: 'January 4 m, July 6 m.' });
  await counted(customer, 'orders_show', { order_id: Object(order).id });
  const paid = await counted(customer, 'orders_complete', at(4));

  expect(paid).toMatchObject({ order: { state: 'closed', outcome: 'accepted' } });
  expect(cost).toMatchObject({ calls: 13, questions: 4 });
  expect(cost.tokens).toBeLessThanOrEqual(3_150);
});
