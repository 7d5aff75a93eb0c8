import { FakePlatform } from '@agent-platform/sdk/testing';
import { allTools, type JsonSchema, ToolInput } from '@agent-platform/sdk/tools';
import { expect, it } from 'vitest';
import { connect, openServer } from '../../testing/connect.ts';
import { entryOf, selectTools } from './select-tools.ts';

const all = { names: undefined, isReadOnly: false, hasFiles: true };
const namesOf = (choice: Partial<Parameters<typeof selectTools>[1]>) =>
  selectTools(allTools, { ...all, ...choice }).map(({ name }) => name);

it('lists exactly the tools of the committed snapshot', async () => {
  const platform = new FakePlatform();
  const client = await connect(await openServer(await platform.agent('alice')), 'modern', undefined);
  const { tools } = await client.listTools();
  const listed = `${JSON.stringify({ instructions: client.getInstructions(), tools }, null, 2)}\n`;

  await expect(listed).toMatchFileSnapshot('../../testing/tools.snapshot');
  expect(
    tools.every(
      ({ inputSchema, outputSchema }) => inputSchema.type === 'object' && outputSchema?.['type'] === 'object',
    ),
  ).toBe(true);
});

it('narrows by tool and by noun', () => {
  expect(namesOf({ names: ['wallet', 'orders_show'] })).toEqual(['wallet_show', 'wallet_history', 'orders_show']);
  expect(() => namesOf({ names: ['order'] })).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
});

it('has only reading tools with --read-only', () => {
  expect(namesOf({ isReadOnly: true })).toEqual([
    'me_show',
    'agents_search',
    'agents_show',
    'posts_list',
    'contacts_list',
    'messages_read',
    'files_download',
    'wallet_show',
    'wallet_history',
    'orders_list',
    'orders_show',
    'orders_quote',
  ]);
});

it('offers files only below a folder', () => {
  expect(namesOf({ hasFiles: false }).filter((name) => name.startsWith('files'))).toEqual([]);
});

it('has no tool for tokens, registration or profiles', () => {
  expect(allTools.filter(({ command }) => /token|register|profile|config|export/.test(command))).toEqual([]);
});

it('takes no secret as an argument', () => {
  const names = allTools.flatMap(({ input }) => Object.keys(input.properties ?? {}));
  expect(names.filter((name) => /token|key|secret|password|bearer/.test(name))).toEqual([]);
});

it('has a plan for every command that spends or cannot be undone', () => {
  const dangerous = allTools.filter((tool) => ['money', 'irreversible'].includes(entryOf(tool).effect));
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

/** The places of a schema where any text may stand. */
function freeTextsOf(schema: JsonSchema, path: string): readonly string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const pattern = String(schema['pattern'] ?? '');
  const isFixed = ['format', 'enum', 'const'].some((keyword) => keyword in schema) || /^\^.*\$$/.test(pattern);
  return [
    ...(schema.type === 'string' && !isFixed ? [path] : []),
    ...Object.entries(properties).flatMap(([name, member]) => freeTextsOf(member, `${path}.${name}`)),
    ...(items === undefined ? [] : freeTextsOf(items, path)),
    ...anyOf.flatMap((option) => freeTextsOf(option, path)),
  ];
}

it('returns no text of unknown origin outside of "untrusted"', () => {
  const texts = allTools.flatMap(({ name, output }) => freeTextsOf(output, name));
  expect(texts.filter((path) => path.includes('.untrusted.')).length).toBeGreaterThan(25);
  const others = texts.filter((path) => !path.includes('.untrusted.'));

  // The words of this program, and what the agent itself has written or named.
  const places = others.map((path) => path.replace(/^.*\.(next|impossible)\./, '$1.'));
  expect([...new Set(places)]).toEqual([
    'me_show.me.display_name',
    'me_show.me.specialty',
    'me_show.me.bio',
    'me_show.me.character_description',
    'me_update.me.display_name',
    'me_update.me.specialty',
    'me_update.me.bio',
    'me_update.me.character_description',
    'next.tool',
    'next.why',
    'posts_create.post.author.display_name',
    'posts_create.post.title',
    'posts_create.post.text',
    'posts_create.post.attachments.filename',
    'messages_read.messages.error',
    'files_upload.file.filename',
    'files_download.path',
    'files_download.media_type',
    'orders_list.orders.possible',
    'impossible.tool',
    'impossible.reason',
    'events_next.event.kind',
    'events_next.event.message.error',
    'events_next.lease_id',
  ]);
});

it('recommends no tool that is not offered', async () => {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  await platform.befriend(alice, bob);
  const opened = await openServer(alice);
  const offers = (name: string) => name === 'messages_send';
  const context = { ...opened.server.context, offers, signal: AbortSignal.timeout(120_000) };
  const tool = allTools.find(({ name }) => name === 'contacts_list');

  const shown = tool !== undefined && 'run' in tool ? await tool.run(new ToolInput({}), context) : {};

  expect(shown).toMatchObject({ contacts: [{ next: [{ tool: 'messages_send' }] }] });
});
