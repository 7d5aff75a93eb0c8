import { expect, it } from 'vitest';
import { UsageError } from '../errors/failure.ts';
import { type OutputFields, refuseUnknownFields } from './output-fields.ts';

const known: OutputFields = {
  bot: { handle: 'value', visuals: { avatar: 'any' } },
  list: { a: 'value', b: 'value' },
  n: 'value',
};

it.each(['n', 'bot', 'bot.handle', 'bot.visuals.avatar', 'bot.visuals.avatar.path', 'list.b'])(
  'accepts %s',
  (field) => {
    expect(() => refuseUnknownFields(['n', field], known, 'agentp me show')).not.toThrow();
  },
);

it.each([
  ['bto', 'Fields: bot, list, n'],
  ['bot.name', 'Fields: bot.handle, bot.visuals'],
  ['bot.visuals.face', 'Fields: bot.visuals.avatar'],
  ['list.c', 'Fields: list.a, list.b'],
  ['bot.handle.x', 'Fields: bot.handle'],
  ['toString', 'Fields: bot, list, n'],
  ['__proto__.x', 'Fields: bot, list, n'],
])('rejects %s as a wrong command line, and lists the fields', (field, hint) => {
  const refuse = (): void => refuseUnknownFields(['n', field], known, 'agentp me show');

  expect(refuse).toThrow(UsageError);
  expect(refuse).toThrow(
    expect.objectContaining({ message: `The data of "agentp me show" has no field "${field}".`, hint }),
  );
});
