import catalogue from '@agent-platform/cli-core/commands.json' with { type: 'json' };
import { FakePlatform } from '@agent-platform/sdk/testing';
import { allTools, selectTools, type ToolChoice, ToolInput } from '@agent-platform/sdk/tools';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { expect, it } from 'vitest';
import { connect, openToolServer, parseResult } from '../../testing/connect.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const namesOf = (choice: ToolChoice) => selectTools({ hasFiles: true, ...choice }).map(({ name }) => name);

async function list(settings: Parameters<typeof openToolServer>[1] = {}) {
  const client = await connect(
    await openToolServer(await new FakePlatform().agent('alice'), settings),
    'modern',
    undefined,
  );
  return { client, tools: (await client.listTools()).tools };
}

it('lists exactly the tools of the committed snapshot', async () => {
  const { client, tools } = await list();
  const listed = `${JSON.stringify({ instructions: client.getInstructions(), tools }, null, 2)}\n`;

  await expect(listed).toMatchFileSnapshot('../../testing/tools.snapshot');
  expect(tools.every(({ inputSchema }) => inputSchema.type === 'object')).toBe(true);
});

it('lists all tools in 4,500 tokens, and the core in 1,500', async () => {
  const { tools } = await list();
  const tokenizer = new Tiktoken(ranks);
  const tokensOf = (names: readonly string[]) =>
    tokenizer.encode(JSON.stringify(tools.filter(({ name }) => names.includes(name)))).length;

  expect(tools).toHaveLength(34);
  expect(tokensOf(namesOf({}))).toBeLessThanOrEqual(4_500);
  expect(tokensOf(namesOf({ names: ['core'] }))).toBeLessThanOrEqual(1_500);
});

it('describes every tool in 40 words, and every argument', () => {
  const words = allTools.map(({ name, description }) => [name, description.split(/\s+/).length] as const);
  expect(words.filter(([, count]) => count > 40)).toEqual([]);
  const described = allTools.flatMap(({ name, input }) =>
    Object.entries(input.properties ?? {}).map(([member, { description = '' }]) => [name, member, description]),
  );
  expect(described.filter(([, , description]) => description === '')).toEqual([]);
});

it('names no option of agentp, method of the SDK or path of HTTP to a model', () => {
  const texts = JSON.stringify(allTools.map(({ description, input, output }) => [description, input, output]));
  expect(texts).not.toMatch(/--[a-z]|\(\)|\/api\/|agentp|\b(GET|POST)\b/);
});

it('has the effect and the repeat class of its command', () => {
  const commands = new Map(catalogue.commands.map(({ command, effect, repeat }) => [command, { effect, repeat }]));
  const reading = ['agenda_show', 'files_show'];
  const same = allTools.filter(({ name }) => !reading.includes(name));

  expect(same.map(({ name, effect, repeat }) => ({ name, effect, repeat }))).toEqual(
    same.map(({ name, command }) => ({ name, ...commands.get(command) })),
  );
});

it.each(['modern', 'legacy'] as const)(
  'returns a result once to a %s client, structured where it has asked',
  async (era) => {
    const platform = await new FakePlatform().agent('alice');
    const call = async (hasOutputSchemas: boolean) => {
      const client = await connect(await openToolServer(platform, { hasOutputSchemas }), era, undefined);
      await client.listTools();
      return await client.callTool({ name: 'wallet_show', arguments: {} });
    };

    const [plain, structured] = [await call(false), await call(true)];

    const data = { wallet: { available_minor: 0, reserved_minor: 0, total_minor: 0 } };
    expect([plain.structuredContent, parseResult(plain)]).toEqual([undefined, data]);
    expect(structured).toMatchObject({ structuredContent: data });
    expect(JSON.stringify(structured.content)).not.toContain('available_minor');
  },
);

it('the agenda has the structure of its output schema if another agent offers an order', async () => {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  await platform.befriend(alice, bob);
  const terms = { title: 'A chart', deadline: new Date(Date.now() + 86_400_000).toISOString(), amount_minor: 1 };
  await bob.orders.create({ ...terms, customer_id: 'alice' });
  const client = await connect(await openToolServer(alice, { hasOutputSchemas: true }), 'modern', undefined);
  await client.listTools();

  const { structuredContent } = await client.callTool({ name: 'agenda_show', arguments: {} });

  expect(structuredContent).toMatchObject({ orders: [{ role: 'customer' }] });
});

it('shows the picture of a file', async () => {
  const platform = await new FakePlatform().agent('alice');
  const { id } = await platform.attachments.upload(png, { purpose: 'order' });
  const client = await connect(await openToolServer(platform), 'modern', undefined);

  const { content } = await client.callTool({ name: 'files_show', arguments: { attachment_id: id } });

  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/jpeg' }]);
});

it('selects by tool and by noun', () => {
  expect(namesOf({ names: ['wallet', 'orders_show'] })).toEqual(['wallet_show', 'wallet_history', 'orders_show']);
  expect(() => namesOf({ names: ['order'] })).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
});

it('has only reading tools with --read-only', () => {
  expect(namesOf({ isReadOnly: true })).toEqual(
    allTools.filter(({ effect }) => effect === 'read').map(({ name }) => name),
  );
  expect(namesOf({ isReadOnly: true })).toHaveLength(14);
});

it('offers uploads and downloads only with a folder for files', () => {
  expect(namesOf({ hasFiles: false }).filter((name) => name.startsWith('files'))).toEqual(['files_show']);
});

it('has no tool for tokens, registration or profiles', () => {
  expect(allTools.filter(({ command }) => /token|register|profile|config|export/.test(command))).toEqual([]);
});

it('takes no secret as an argument', () => {
  const names = allTools.flatMap(({ input }) => Object.keys(input.properties ?? {}));
  expect(names.filter((name) => /token|key|secret|password|bearer/.test(name))).toEqual([]);
});

it('has a plan for every command that spends or cannot be undone', () => {
  const dangerous = allTools.filter((tool) => ['money', 'irreversible'].includes(tool.effect));
  expect(dangerous.filter((tool) => !('plan' in tool))).toEqual([]);
  expect(dangerous.map(({ name }) => name)).toEqual([
    'posts_delete',
    'contacts_block',
    'orders_create',
    'orders_accept',
    'orders_complete',
    'orders_approve_refund',
  ]);
});

it('recommends no tool that is not offered', async () => {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  await platform.befriend(alice, bob);
  const opened = await openToolServer(alice);
  const offers = (name: string) => name === 'messages_send';
  const context = { ...opened.server.context, offers, signal: AbortSignal.timeout(120_000) };
  const tool = allTools.find(({ name }) => name === 'contacts_list');

  const shown = tool !== undefined && 'run' in tool ? await tool.run(new ToolInput({}), context) : {};

  expect(shown).toMatchObject({ contacts: [{ next: [{ tool: 'messages_send' }] }] });
});
