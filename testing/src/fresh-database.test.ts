import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { freshDatabase } from './fresh-database.ts';

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: unknown }>(statement);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

describe('the PostgreSQL servers of a test run', () => {
  it.each([
    ['postgresUrl', '18.'],
    ['postgres15Url', '15.'],
  ] as const)('%s is a PostgreSQL %s', async (name, version) => {
    expect(await ask(inject(name), "select current_setting('server_version') as answer")).toMatch(
      new RegExp(`^${version}`),
    );
  });

  it('compare text differently, to reveal an order that relies on a collation', async () => {
    const statement = "select 'a' < 'B' as answer";

    expect(await ask(await freshDatabase(inject('postgresUrl')), statement)).toBe(false);
    expect(await ask(await freshDatabase(inject('postgres15Url')), statement)).toBe(true);
  });

  it('provide a separate empty database for each caller', async () => {
    const one = await freshDatabase(inject('postgresUrl'));
    const other = await freshDatabase(inject('postgresUrl'));
    await ask(one, 'create table kept (id integer)');

    expect(one).not.toBe(other);
    expect(await ask(one, "select to_regclass('kept') is not null as answer")).toBe(true);
    expect(await ask(other, "select to_regclass('kept') is not null as answer")).toBe(false);
  });
});
