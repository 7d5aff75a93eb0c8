import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestServer } from '../../../testing/test-server.ts';
import type { BatchedStatement } from '../store.ts';
import { prepareBatchedQuery } from './batched-statement.ts';

type Row = Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', unknown>>;

const echo: BatchedStatement<Row> = prepareBatchedQuery(
  'echo-in-a-test',
  { a: 'text', b: 'timestamptz', c: 'base64', d: 'bigint', e: 'json', f: 'uuid' },
  (parameter) =>
    `select ${parameter('a')} as a, ${parameter('b')} as b, ${parameter('c')} as c, ${parameter('d')} as d,
       ${parameter('e')} as e, ${parameter('f')} as f where ${parameter('a')} <> 'none'`,
);
const texts = [
  '',
  ' ',
  "o'clock",
  '"',
  '\\',
  '\\x41',
  '{"a":1}',
  '\u0001\u007f',
  'ä€😀',
  '\ud7ff',
  'none',
  'null',
  'a\r\nb',
];
const calls = texts.map((text, index) => [
  text,
  new Date(index * 10 ** 11 + index),
  index % 3 === 0 ? null : Buffer.from([0, 255, index]).toString('base64'),
  index % 2 === 0 ? Number.MAX_SAFE_INTEGER - index : -index,
  index % 5 === 0 ? null : JSON.stringify({ text, list: [index, null, { '"': "'" }] }),
  index % 4 === 0 ? null : `01a208b6-2be5-75ab-9f4a-3ac30fa307${10 + index}`,
]);

describe.each(['copied', 'embedded'])('a batched statement on a database that is %s', (database) => {
  const server = useTestServer({}, database);

  it('returns the same rows for batched and separate calls, whatever their values are', async () => {
    const alone = [];
    for (const values of calls) alone.push(await server().store.ask(echo, values));
    const together = await Promise.all(calls.map((values) => server().store.ask(echo, values)));

    const numbered = alone.map((row, index) => (row === undefined ? undefined : { ...row, call_number: index + 1 }));
    expect(together).toEqual(numbered);
    expect(alone.map((row) => row?.a ?? 'none')).toEqual(texts);
  });

  it('isolates other calls from a value that fails', async () => {
    const bad = ['a\u0000b', new Date(), null, 1, '{}', null];
    const answers = await Promise.allSettled(
      [...calls.slice(0, 3), bad].map((values) => server().store.ask(echo, values)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  });

  it('isolates other calls from one whose statement was canceled', async () => {
    await server().store.transact((writer) =>
      sql`create function cancel(a text) returns text language plpgsql as $$
        begin if a = 'slow' then raise sqlstate '57014'; end if; return a; end $$`.execute(writer),
    );
    const slow = prepareBatchedQuery(
      'slow-in-a-test',
      { a: 'text' },
      (parameter) => `select cancel(${parameter('a')})`,
    );
    const answers = await Promise.allSettled(['one', 'slow', 'two'].map((text) => server().store.ask(slow, [text])));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
