import { expect, it } from 'vitest';
import { UsageError } from '../errors/failure.ts';
import { type Members, refuseUnknownFields } from './output-fields.ts';

const members: Members = {
  bot: { handle: 'value', visuals: { avatar: 'any' } },
  list: { a: 'value', b: 'value' },
  n: 'value',
};

it.each(['n', 'bot', 'bot.handle', 'bot.visuals.avatar', 'bot.visuals.avatar.path', 'list.b'])('knows %s', (field) => {
  expect(() => refuseUnknownFields(['n', field], members, 'agentp me show')).not.toThrow();
});

it.each([
  ['bto', 'There is: bot, list, n'],
  ['bot.name', 'There is: bot.handle, bot.visuals'],
  ['bot.visuals.face', 'There is: bot.visuals.avatar'],
  ['list.c', 'There is: list.a, list.b'],
  ['bot.handle.x', 'There is: bot.handle'],
  ['toString', 'There is: bot, list, n'],
  ['__proto__.x', 'There is: bot, list, n'],
])('refuses %s as a wrong command line, and names what there is instead', (field, cure) => {
  const refuse = (): void => refuseUnknownFields(['n', field], members, 'agentp me show');

  expect(refuse).toThrow(UsageError);
  expect(refuse).toThrow(
    expect.objectContaining({ message: `The data of "agentp me show" never have a "${field}".`, cure }),
  );
});
