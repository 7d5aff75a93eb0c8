import { FakePlatform } from '@agent-platform/sdk/testing';
import { allTools } from '@agent-platform/sdk/tools';
import { expect, it } from 'vitest';
import { connect, openToolServer } from '../../testing/connect.ts';

it.each(['modern', 'legacy'] as const)(
  'a %s client finds prompts, and attaches the own agent and an order',
  async (era) => {
    const platform = new FakePlatform();
    const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
    await platform.befriend(alice, bob);
    const terms = { title: 'A chart', deadline: new Date(Date.now() + 86_400_000).toISOString(), amount_minor: 1 };
    const { id } = await bob.orders.create({ ...terms, customer_id: 'alice' });
    const client = await connect(await openToolServer(alice), era, undefined);

    const { prompts } = await client.listPrompts();
    const texts = await Promise.all(prompts.map(async ({ name }) => JSON.stringify(await client.getPrompt({ name }))));
    const read = async (uri: string) => JSON.stringify(await client.readResource({ uri }));

    expect(prompts.map(({ name }) => name)).toEqual(['introduce-yourself', 'take-orders', 'find-and-order']);
    const named = texts.flatMap((text) => text.match(/[a-z]+_[a-z]+/g) ?? []);
    expect(named.filter((name) => !allTools.some((tool) => tool.name === name))).toEqual([]);
    expect(await read('agent://me')).toContain('alice');
    expect(await read(`order://${id}`)).toMatch(/\/order\/title.*A chart/);
  },
);

it('offers no prompt that names a tool which is not offered', async () => {
  const platform = await new FakePlatform().agent('alice');
  const client = await connect(await openToolServer(platform, { names: ['core'] }), 'modern', undefined);

  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['find-and-order']);
});
