import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { BatchedStatement, PreparedStatement } from '../store.ts';
import { StatementCanceledError, StoreUnavailableError } from '../unavailable.ts';
import { prepareBatchedQuery, prepareBatchedWrite } from './batched-statement.ts';
import { StatementBatcher } from './batches.ts';

interface Doubled {
  readonly doubled: number;
}

const doubling: BatchedStatement<Doubled> = prepareBatchedQuery(
  'doubling',
  { value: 'bigint' },
  (parameter) => `select 2 * ${parameter('value')} as doubled`,
);
const writing: BatchedStatement<Doubled> = prepareBatchedWrite(
  'writing',
  { value: 'bigint', bytes: 'base64' },
  { alone: 'insert $1 $2', together: (calls) => `insert ${calls}` },
);

type Execution = { readonly name: string; readonly values: readonly number[]; readonly end: (error?: Error) => void };

/** Simulates a database that doubles numbers when the test ends the execution, and returns no row for 0. */
function pausedDatabase() {
  const executions: Execution[] = [];
  const run = async <Row>({ name }: PreparedStatement<Row>, given: readonly unknown[]): Promise<readonly Row[]> => {
    const isBatch = name.endsWith('-batch');
    const values = isBatch
      ? (JSON.parse(String(given[0])) as readonly { readonly value: number }[]).map(({ value }) => value)
      : [Number(given[0])];
    const ended = Promise.withResolvers<void>();
    executions.push({ name, values, end: (error) => (error === undefined ? ended.resolve() : ended.reject(error)) });
    await ended.promise;
    const rows = values.map((value, index) => ({ doubled: 2 * value, ...(isBatch ? { call_number: index + 1 } : {}) }));
    return rows.filter(({ doubled }) => doubled !== 0).toReversed() as Row[];
  };
  const batches = new StatementBatcher(run);
  const ask = async (value: number, statement = doubling) => (await batches.ask(statement, [value]))[0];
  return { executions, ask };
}

/** Long enough for calls to be sent, but much shorter than a slow execution. */
const sent = () => wait(10);
const settled = (promises: readonly Promise<Doubled | undefined>[]) =>
  Promise.all(
    promises.map((promise) =>
      promise.then(
        (row) => row?.doubled,
        (error: Error) => error.message,
      ),
    ),
  );

describe('batches', () => {
  it('of costly statements run one after the other, however slow', async () => {
    const { executions, ask } = pausedDatabase();
    const calls = [1, 2, 3].map((value) => ask(value, { ...doubling, name: `costly-${value % 2}`, isCostly: true }));
    await wait(100);
    const later = ask(5, { ...doubling, name: 'costly-1', isCostly: true });
    await wait(100);
    expect(executions.map(({ values }) => values)).toEqual([[1, 3]]);
    for (const index of [0, 1, 2]) {
      await vi.waitFor(() => expect(executions).toHaveLength(index + 1));
      executions[index]?.end();
    }
    expect(await settled([...calls, later])).toEqual([2, 4, 6, 10]);
  });

  it('send a single call immediately, and calls that arrive during it together', async () => {
    const { executions, ask } = pausedDatabase();
    const first = ask(1);
    await sent();
    const others = [2, 3, 4].map((value) => ask(value));
    await sent();
    expect(executions.map(({ name, values }) => [name, values])).toEqual([['doubling', [1]]]);
    executions[0]?.end();
    await first;
    await sent();
    expect(executions.slice(1).map(({ name, values }) => [name, values])).toEqual([['doubling-batch', [2, 3, 4]]]);
    executions[1]?.end();
    expect(await settled([first, ...others])).toEqual([2, 4, 6, 8]);
  });

  it('send calls of one event loop turn together, at most 64', async () => {
    const { executions, ask } = pausedDatabase();
    const calls = Array.from({ length: 130 }, (_, value) => ask(value + 1));
    for (const size of [64, 64, 2]) {
      await sent();
      expect(executions.at(-1)?.values).toHaveLength(size);
      executions.at(-1)?.end();
    }
    expect(await settled(calls)).toEqual(Array.from({ length: 130 }, (_, value) => 2 * (value + 1)));
  });

  it('never answer a call with an execution that was sent before the call', async () => {
    const { executions, ask } = pausedDatabase();
    const first = ask(7);
    await sent();
    const same = ask(7);
    executions[0]?.end();
    await first;
    await sent();
    expect(executions).toHaveLength(2);
    executions[1]?.end();
    expect(await settled([same])).toEqual([14]);
  });

  it.each([new Error('division by zero'), new StatementCanceledError('division by zero')])(
    "do not fail calls because of another one's failure: $name",
    async (failure) => {
      const { executions, ask } = pausedDatabase();
      const calls = [1, 2, 3].map((value) => ask(value));
      await sent();
      executions[0]?.end(failure);
      await sent();
      expect(executions.slice(1).map(({ name, values }) => [name, values])).toEqual([
        ['doubling', [1]],
        ['doubling', [2]],
        ['doubling', [3]],
      ]);
      for (const { end, values } of executions.slice(1)) end(values[0] === 2 ? failure : undefined);
      expect(await settled(calls)).toEqual([2, 'division by zero', 6]);
    },
  );

  it('read once for identical values, and never join calls that write', async () => {
    for (const [statement, values] of [
      [doubling, [4, 5]],
      [writing, [4, 4, 5]],
    ] as const) {
      const { executions, ask } = pausedDatabase();
      const calls = [4, 4, 5].map((value) => ask(value, statement));
      await sent();
      expect(executions.map((execution) => execution.values)).toEqual([values]);
      executions[0]?.end();
      expect(await settled(calls)).toEqual([8, 8, 10]);
    }
  });

  it('send identical calls once', async () => {
    const { executions, ask } = pausedDatabase();
    const calls = [6, 6, 6].map((value) => ask(value));
    await sent();
    expect(executions.map(({ name, values }) => [name, values])).toEqual([['doubling', [6]]]);
    executions[0]?.end(new Error('division by zero'));
    expect(await settled(calls)).toEqual(Array(3).fill('division by zero'));
  });

  it('do not repeat calls whose outcome is unknown', async () => {
    const { executions, ask } = pausedDatabase();
    const calls = [1, 2].map((value) => ask(value, writing));
    await sent();
    executions[0]?.end(new StoreUnavailableError('cut'));
    expect(await settled(calls)).toEqual(['cut', 'cut']);
    expect(executions).toHaveLength(1);
  });

  it('answer a call without a row, or run it separately if the statement writes', async () => {
    for (const [statement, name, doubled] of [
      [doubling, 'doubling-batch', undefined],
      [writing, 'writing', undefined],
    ] as const) {
      const { executions, ask } = pausedDatabase();
      const calls = [0, 5].map((value) => ask(value, statement));
      await sent();
      executions[0]?.end();
      await sent();
      expect(executions.at(-1)).toMatchObject({ name });
      executions.at(-1)?.end();
      expect(await settled(calls)).toEqual([doubled, 10]);
    }
  });

  it('run in parallel with a slow execution, at most four', async () => {
    const { executions, ask } = pausedDatabase();
    const calls = [];
    for (const value of [1, 2, 3, 4, 5]) {
      calls.push(ask(value));
      await vi.waitFor(() => expect(executions).toHaveLength(Math.min(value, 4)), { timeout: 120_000 });
    }
    await wait(200);
    expect(executions).toHaveLength(4);
    executions[2]?.end();
    await vi.waitFor(() => expect(executions).toHaveLength(5), 120_000);
    for (const { end } of executions) end();
    expect(await settled(calls)).toEqual([2, 4, 6, 8, 10]);
  });

  it('reject a call that waited too long to be sent', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    try {
      const { executions, ask } = pausedDatabase();
      const first = ask(1);
      await vi.waitUntil(() => executions.length === 1, 120_000);
      const late = ask(2);
      vi.advanceTimersByTime(4_001);
      executions[0]?.end();
      expect(await settled([first, late])).toEqual([2, 'The database responds too slowly.']);
      expect(executions).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
