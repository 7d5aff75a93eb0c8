import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import { captureLog } from '../../../testing/test-server.ts';
import { openPostgresStore } from '../open-store.ts';
import { prepareSqlText } from './prepared.ts';
import { watchStatements } from './watched-statements.ts';

const database = await copyTemplateDatabase();
afterAll(() => database.drop());

const slowly = prepareSqlText<never>('slow-on-purpose', 'select pg_sleep($1::float8) where $2::text is not null');

it.each(['PostgreSQL', 'PGlite'])(
  'a slow statement is logged on %s with its name or shape, without values',
  async (kind) => {
    const { log, logged } = captureLog('info');
    const watch = watchStatements({ slowMs: 40, log, telemetry: undefined });
    const store =
      kind === 'PGlite'
        ? await openEmbeddedStore(watch)
        : await openPostgresStore(database.environment.DATABASE_URL ?? '', () => undefined, { watch });
    try {
      await store.run(slowly, [0.05, 'secret']);
      await store.transact((writer) =>
        sql`select pg_sleep(${0.05}), ${'secret'}::text, 'it''s secret', 123456 from generate_series(1, 2)`.execute(
          writer,
        ),
      );
      await store.read((reader) => sql`select 1`.execute(reader));
      await expect(store.read((reader) => sql`select pg_sleep(0.05), 1 / ${0}::int`.execute(reader))).rejects.toThrow();
    } finally {
      await store.close();
    }
    const lines = logged()
      .split('\n')
      .filter((line) => line.includes('slow statement'))
      .map((line) => JSON.parse(line) as { statement: string; ms: number; rows: number | null });
    expect(logged()).not.toMatch(/secret|123456/);
    const [named, shaped] = lines.filter(
      ({ statement }) => statement.includes('slow-on-purpose') || statement.includes('?, ?'),
    );
    expect(named).toMatchObject({ statement: 'slow-on-purpose', rows: 1, ms: expect.any(Number) });
    expect(named?.ms).toBeGreaterThanOrEqual(50);
    expect(shaped).toMatchObject({
      statement: 'select pg_sleep($1), $2::text, ?, ? from generate_series(?, ?)',
      rows: 2,
    });
  },
);

it('nothing is observed if slow statements, metrics and traces are all disabled', () => {
  const { log } = captureLog('info');
  expect(watchStatements({ slowMs: 0, log, telemetry: undefined })).toBeUndefined();
});
