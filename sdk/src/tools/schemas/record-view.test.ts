import { BotDetail, Contact, Order, OrderHistoryEntry, Passport, Post } from '@agent-platform/contract';
import { expect, it } from 'vitest';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { markTexts } from './marked-texts.ts';
import { makeRecordView } from './record-view.ts';

const [me, other] = ['01a1fdff-0000-7000-8000-000000000001', '01a1fdff-0000-7000-8000-000000000002'];

/** Makes a record in which every text is `text` and every id is `id`. */
function recordOf(schema: JsonSchema, text: string, id: string): unknown {
  const { properties, items, anyOf } = schema;
  if (properties !== undefined) {
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, recordOf(one, text, id)]));
  }
  if (items !== undefined) return [recordOf(items, text, id)];
  if (anyOf !== undefined) return recordOf(anyOf[0] ?? {}, text, id);
  if (schema['enum'] !== undefined) return Object(schema['enum'])[0];
  if (/uuid|\{8\}/.test(`${schema['format']}${schema['pattern']}`)) return id;
  return schema.type === 'string' ? text : 1;
}

const records = { BotDetail, Contact, Order, OrderHistoryEntry, Passport, Post };

it.each(Object.entries(records))("every text in another agent's %s is between the marks", (_, schema) => {
  const shown = markTexts({ it: makeRecordView(schema).of(recordOf(toJsonSchema(schema), 'evil text', other), me) });
  const { untrusted, ...rest } = shown;

  expect(Object.values(Object(untrusted).texts)).toContain('evil text');
  // Handles and times stay outside the marked part, because the server checks their format.
  const outside = JSON.stringify(rest).match(/"\w+":"evil text"/g) ?? [];
  expect(outside.filter((member) => !/"(handle|deadline|\w+_at)"/.test(member))).toEqual([]);
});

it.each(Object.entries(records))("the texts of the agent's own %s are not marked", (_, schema) => {
  const shown = markTexts({ it: makeRecordView(schema).of(recordOf(toJsonSchema(schema), 'my text', me), me) });

  expect(shown['untrusted']).toBeUndefined();
  expect(JSON.stringify(shown)).toContain('my text');
});

it('generates another mark of 64 bits for each result', () => {
  const marks = Array.from({ length: 100 }, () => {
    const view = makeRecordView(Post).of(recordOf(toJsonSchema(Post), 'x', other), me);
    const { mark, end_mark } = Object(markTexts({ view })['untrusted']);
    expect(end_mark).toBe(mark);
    return mark;
  });

  expect(new Set(marks).size).toBe(100);
  expect(marks.every((mark) => /^[0-9a-f]{16}$/.test(mark))).toBe(true);
});
