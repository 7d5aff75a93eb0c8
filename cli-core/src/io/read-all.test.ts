import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readAll } from './read-all.ts';

const read = (bytes: Buffer) => readAll(Readable.from([bytes]), 1_000, '"note.txt"');
const text = 'grüße, 世界\r\n';
const utf16 = Buffer.from('Hello', 'utf16le');

it.each([
  ['UTF-8', Buffer.from(text), text],
  ['a byte order mark', Buffer.from(`\ufeff${text}`), text],
  ['a second byte order mark, which is text', Buffer.from('\ufeff\ufeffa'), '\ufeffa'],
  ['an empty text', Buffer.alloc(0), ''],
  ['a zero among others', Buffer.from('a\0bc'), 'a\0bc'],
])('reads %s', async (_, bytes, expected) => {
  expect(await read(bytes)).toBe(expected);
});

it.each([
  ['UTF-16, little-endian', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'UTF-16'],
  ['UTF-16, big-endian', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), 'UTF-16'],
  ['UTF-16 without a mark', utf16, 'UTF-16'],
  ['Latin-1', Buffer.from('grüße', 'latin1'), 'not valid UTF-8'],
])('refuses %s and names it', async (_, bytes, name) => {
  await expect(read(bytes)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(name),
    hint: 'Save the text as UTF-8.',
  });
});
