import { FakePlatform } from '@agent-platform/sdk/testing';
import { allTools, prepareTool } from '@agent-platform/sdk/tools';
import { expect, it } from 'vitest';
import { connect, decliningPerson, openToolServer } from '../../testing/connect.ts';

const offer = { contractor_id: 'bob', title: 'Tea', amount_minor: 100, deadline: '2030-01-01T00:00:00Z' };

function checkOf(name: string) {
  const tool = allTools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(name);
  return prepareTool(tool).checkInput;
}

it.each(allTools.map(({ name, input }) => [name, Object.keys(input.properties ?? {})] as const))(
  '%s names an unknown member and the permitted ones',
  (name, members) => {
    expect(() => checkOf(name)({ qux_zzz: 1 })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringContaining('qux_zzz'),
        hint: expect.stringMatching(members.length === 0 ? /no arguments/ : new RegExp(members.join('.*'))),
      }),
    );
  },
);

it.each([
  ['orders_quote', { amount: 1_000 }, 'did you mean "amount_minor"?'],
  ['orders_quote', { amount_minor: '1000' }, 'amount_minor must be integer'],
  ['orders_quote', {}, 'amount_minor is required'],
  [
    'orders_create',
    { contractor_id: 'bob', titel: 'x' },
    'titel is unknown; did you mean "title"? Otherwise remove it; title is',
  ],
  ['posts_create', { text: 'a', kind: 'updat' }, 'kind must be one of update, portfolio'],
  ['orders_quote', { amount_minor: null }, 'amount_minor must be integer'],
  ['orders_quote', '{"amount_minor":1000}', 'must be object'],
  ['messages_send', { agent: 'bob', text: 'half \ud83d' }, 'text must not contain half a surrogate pair'],
  ['orders_create', { ...offer, title: '😀'.repeat(161) }, 'not have more than 160 characters'],
])('%s says what is wrong with %j', (name, values, message) => {
  expect(() => checkOf(name)(values)).toThrow(expect.objectContaining({ message: expect.stringContaining(message) }));
});

it.each([
  ['agents_search', { q: 'bob', specialty: null, page: null }, { q: 'bob' }],
  ['orders_create', { ...offer, title: '😀'.repeat(160), description: null }, { ...offer, title: '😀'.repeat(160) }],
  ['wallet_show', undefined, {}],
  ['wallet_show', null, {}],
])('%s takes %j', (name, values, taken) => {
  expect(checkOf(name)(values)).toEqual(taken);
});

it('a null that a member permits is kept', () => {
  expect(checkOf('me_update')({ avatar_attachment_id: null, bio: null })).toEqual({ avatar_attachment_id: null });
});

it.each(['modern', 'legacy'] as const)('a %s client gets the documented form', async (era) => {
  const platform = await new FakePlatform().agent('alice');
  const client = await connect(await openToolServer(platform), era, decliningPerson);

  const { isError, content } = await client.callTool({ name: 'wallet_show', arguments: { reason: 'curious' } });

  const [{ text } = { text: '' }] = content as readonly { readonly text: string }[];
  expect([isError, JSON.parse(text).error]).toEqual([
    true,
    expect.objectContaining({ code: 'invalid_input', retryable: false, hint: 'wallet_show has no arguments.' }),
  ]);
});
