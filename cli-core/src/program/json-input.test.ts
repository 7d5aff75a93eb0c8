import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { captureIo } from '../../../cli/testing/captured-io.ts';
import { expandInput } from './json-input.ts';
import { renderRequestedText } from './print-text.ts';

const expand = (input: unknown, ...argv: readonly string[]) =>
  expandInput([...argv, '--input', '-'], captureIo({ stdin: JSON.stringify(input) }).io);

it('turns options, flags, lists and arguments of the input into words', async () => {
  const input = { friend: 'bob', text: '--hello', 'message-id': 'x' };
  expect(await expand(input, 'messages', 'send')).toEqual([
    'messages',
    'send',
    '--message-id=x',
    '--',
    'bob',
    '--hello',
  ]);
  expect(await expand({ kind: ['message.created'], open: true, 'keep-others': false }, 'events', 'listen')).toEqual([
    'events',
    'listen',
    '--kind=message.created',
    '--open',
  ]);
});

it('prefers a typed option to the input, and reads a file', async () => {
  const file = join(makeTestFolder(), 'input.json');
  writeFileSync(file, '{"limit": 5}\n');

  const words = ['--profile', 'alice', 'orders', 'list', `--input=${file}`, '--limit', '7'];
  expect(await expandInput(words, captureIo().io)).toEqual([
    'orders',
    'list',
    '--limit=5',
    '--profile',
    'alice',
    '--limit',
    '7',
  ]);
});

it.each<[string, unknown, readonly string[]]>([
  ['JSON object', [1], ['orders', 'list']],
  ['unknown member "page"', { page: 2 }, ['orders', 'list']],
  ['not true or false', { all: 'yes' }, ['orders', 'list']],
  ['not a list', { kind: 'message.created' }, ['events', 'listen']],
  ['not a text or a number', { state: null }, ['orders', 'list']],
  ['both in the input', { friend: 'bob' }, ['messages', 'send', 'bob']],
  ['without "friend"', { text: 'hello' }, ['messages', 'send']],
])('refuses an input: %s', async (message, input, argv) => {
  await expect(expand(input, ...argv)).rejects.toThrow(message);
});

it('prints the schema of the input without the mandatory arguments', () => {
  const schema = JSON.parse(renderRequestedText(['orders', 'create', '--input-schema'], captureIo().io.stdout) ?? '');

  expect(schema).toMatchObject({ type: 'object', required: ['title', 'deadline'], additionalProperties: false });
  expect(schema.properties.title).toMatchObject({ type: 'string' });
  const asText = ['messages', 'send', 'dave', '--', '--input-schema'];
  expect(renderRequestedText(asText, captureIo().io.stdout)).toBeUndefined();
});
