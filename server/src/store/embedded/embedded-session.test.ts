import { join } from 'node:path';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EmbeddedSession } from './embedded-session.ts';

const folder = makeTestFolder();
let database: PGlite;
let session: EmbeddedSession;
beforeAll(async () => {
  copyEmptyDatabase(folder);
  database = await PGlite.create(join(folder, 'database'));
  session = new EmbeddedSession(database);
  await session.query('create table kept (number int primary key, word text, data bytea, facts json, big bigint)');
});
afterAll(() => session.close());

async function countExchanges(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(database, 'execProtocolStream');
  await work();
  const { length } = spy.mock.calls;
  spy.mockRestore();
  return length;
}

const numbersFrom = async (from: number) =>
  (await session.query<{ number: number }>('select number from kept where number >= $1 order by number', [from])).rows;
const insert = (number: number): [string, unknown[]] => ['insert into kept (number) values ($1)', [number]];

it('reads the values that were written, also with a prepared statement', async () => {
  const text = `insert into kept values ($1, $2, $3, $4, $5)
    returning word, data, facts, big, array[word, null] as words, now() is null as no, number + 0.5 as half`;
  for (let number = 1; number <= 8; number += 1) {
    const values = [number, number === 3 ? null : "it's \\ 日本", Buffer.from([0, 255, number]), { number }, 2 ** 40];
    const { rows, affectedRows } = await session.query<Record<string, unknown>>(text, values);
    const { words, ...row } = rows[0] ?? {};
    expect(affectedRows).toBe(1);
    expect(row).toEqual({
      word: values[1],
      data: new Uint8Array([0, 255, number]),
      facts: { number },
      big: 2 ** 40,
      no: false,
      half: `${number}.5`,
    });
    expect(words).toEqual([values[1], null]);
  }
});

it('sends a frequent statement in one exchange, another in two, and begins a transaction with the first', async () => {
  for (let time = 0; time < 6; time += 1) await numbersFrom(100);
  expect(await countExchanges(() => numbersFrom(100))).toBe(1);
  expect(await countExchanges(() => session.query('select 1'))).toBe(2);
  const text = 'select number from kept where number >= $1 order by number';
  expect(await countExchanges(() => session.transaction((transaction) => transaction.query(text, [1])))).toBe(2);
  expect(await countExchanges(() => session.transaction(async () => undefined))).toBe(0);
});

it('rolls back a failed transaction, whichever statement fails, and continues', async () => {
  const failures: [string, unknown[]][] = [
    insert(1),
    ['insert into nothing values ($1)', [1]],
    ['select $1::int', ['x']],
  ];
  for (const failing of failures) {
    for (const before of [[], [insert(200)]]) {
      const failed = session.transaction(async (transaction) => {
        for (const [text, values] of [...before, failing]) await transaction.query(text, values);
      });
      await expect(failed).rejects.toThrow(/duplicate key|does not exist|invalid input/);
      expect(await numbersFrom(200)).toEqual([]);
    }
  }
  await session.transaction((transaction) => transaction.query(...insert(201)));
  expect(await numbersFrom(200)).toEqual([{ number: 201 }]);
});

it('rolls back on request, and delays concurrent statements until the end', async () => {
  let waiting: Promise<unknown> = Promise.resolve();
  const transaction = session.transaction(async (open) => {
    await open.query(...insert(300));
    waiting = numbersFrom(300);
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Error('changed its mind');
  });
  await expect(transaction).rejects.toThrow('changed its mind');
  expect(await waiting).toEqual([]);
});

it('lets the event loop run between two statements, however many wait', async () => {
  let answered = 0;
  const queries = Array.from({ length: 20 }, async () => {
    await session.query('select 1');
    answered += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(answered).toBeLessThan(20);
  await Promise.all(queries);
});
