import { expect, it } from 'vitest';
import { selectFields } from './select-fields.ts';

const data = { bot: { handle: 'alice', visuals: { avatar: null, text: '' } }, list: [{ a: 1, b: 2 }, { a: 3 }], n: 0 };

it.each([
  [['n'], { n: 0 }],
  [['bot.handle'], { bot: { handle: 'alice' } }],
  [['bot.visuals.avatar', 'bot.handle'], { bot: { visuals: { avatar: null }, handle: 'alice' } }],
  [['list.a'], { list: [{ a: 1 }, { a: 3 }] }],
  [['list.b', 'list.a'], { list: [{ b: 2, a: 1 }, { a: 3 }] }],
])('selects %j in their places', (fields, chosen) => {
  expect(selectFields(data, fields)).toEqual({ data: chosen, missing: [] });
});

it('reports unknown paths, inherited properties included', () => {
  expect(selectFields(data, ['n', 'bot.name', 'n.x', 'list.c', 'toString', '__proto__.x'])).toEqual({
    data: { n: 0 },
    missing: ['bot.name', 'n.x', 'list.c', 'toString', '__proto__.x'],
  });
});
