import { expect, it } from 'vitest';
import { UsageError } from '../errors/failure.ts';
import * as schema from '../surface/data-schema.ts';
import { refuseUnknownFields } from './output-fields.ts';

const definitions = {
  Visuals: schema.objectOf({}, { avatar: schema.orNull(schema.anything) }),
  Bot: schema.objectOf({ handle: schema.text, visuals: schema.contractRecord('Visuals') }),
};
const known: schema.DataSchema = {
  anyOf: [
    schema.objectOf({ bot: schema.contractRecord('Bot') }),
    schema.objectOf({ list: schema.listOf(schema.objectOf({ a: schema.text, b: schema.orNull(schema.text) })) }),
    { allOf: [schema.objectOf({ n: schema.integer })] },
  ],
};

it.each(['n', 'bot', 'bot.handle', 'bot.visuals.avatar', 'bot.visuals.avatar.path', 'list.b'])(
  'accepts %s',
  (field) => {
    expect(() => refuseUnknownFields(['n', field], known, definitions, 'agentp me show')).not.toThrow();
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
  const refuse = (): void => refuseUnknownFields(['n', field], known, definitions, 'agentp me show');

  expect(refuse).toThrow(UsageError);
  expect(refuse).toThrow(
    expect.objectContaining({ message: `The data of "agentp me show" has no field "${field}".`, hint }),
  );
});
